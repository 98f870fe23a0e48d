"""Pictures, explorers and the notebook runner: everything a person sees (needs the extra `lab`)."""
