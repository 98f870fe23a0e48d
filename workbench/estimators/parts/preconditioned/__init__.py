"""Private second moments of rows that are made rounder step by step."""
