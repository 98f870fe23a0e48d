"""AL22's vote of groups of rows: who agrees with whom, and the average of those who do."""
