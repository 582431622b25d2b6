"""Speed beside a baseline."""
