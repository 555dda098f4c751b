"""The conversation with the service: what is asked again, after what pause, and what an answer means."""
