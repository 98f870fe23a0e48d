"""Values that say what a picture shows, without saying how it is drawn."""
