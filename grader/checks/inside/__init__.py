"""What checks run in the worker, beside learner code, by ``Session.run_inside``: what it returns is a claim.

Each file is loaded by its path and imports nothing of the grader.
"""
