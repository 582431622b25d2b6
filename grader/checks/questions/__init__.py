"""Questions, and what counts as an answer."""
