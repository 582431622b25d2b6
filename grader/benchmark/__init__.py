"""`grader bench`: a submission beside the reference solution, PyTorch, and what the device can do."""
