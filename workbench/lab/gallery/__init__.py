"""The pictures of the notebooks: functions of profile and seed that return charts, and explorers' views."""
