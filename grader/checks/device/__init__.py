"""What happened on the device: memory, order, who did the work, and what it cost."""
