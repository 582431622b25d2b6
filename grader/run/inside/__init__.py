"""The untrusted side: what runs in a worker, beside learner code. The parent checks everything that comes
from here.
"""
