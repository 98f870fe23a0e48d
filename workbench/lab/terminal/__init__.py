"""What the commands print: estimates from files, plans, audits."""
