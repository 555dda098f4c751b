"""Conditions, updates, projections and key conditions: one tree, built fluently or read from text, then written,
evaluated or described."""
