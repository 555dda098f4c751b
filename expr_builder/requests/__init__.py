"""A table and what can be asked of it: single writes and reads, queries and scans, batches and transactions."""
