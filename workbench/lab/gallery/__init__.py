"""Charts of the notebooks: functions of profile and seed, and the views of the explorers."""
