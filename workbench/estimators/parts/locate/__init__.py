"""Where the rows are: private medians, histograms and radii, and the mean that starts from them."""
