"""Conditions, updates and projections: built by calls or read from text, then written, evaluated or described."""
