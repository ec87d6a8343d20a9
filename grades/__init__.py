"""What kind of hour was it? Vocabulary, axes, specifications, operators, evidence and tiers; matching in SQL."""
