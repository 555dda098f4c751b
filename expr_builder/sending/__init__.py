"""The conversation with the service: what is sent again, after what pause, and what an answer means."""
