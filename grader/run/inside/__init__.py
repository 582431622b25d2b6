"""The untrusted side: code that shares a worker with learner code. The parent checks all its messages."""
