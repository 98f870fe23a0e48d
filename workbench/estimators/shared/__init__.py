"""What three families of estimators or more use."""
