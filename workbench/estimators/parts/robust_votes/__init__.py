"""AL22's vote when rows are corrupted: robust groups, and a public table of how close they stay."""
