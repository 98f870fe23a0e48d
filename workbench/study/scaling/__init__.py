"""How the least n grows with one public number: searched at several values, beside what statements say."""
