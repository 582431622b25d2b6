"""For instructors: what a class hands in, graded on one machine or many, and turned into marks.

Its rooms import one way, each only what stands before it: ``submissions``, ``results``, ``course``,
``batch``, ``export``, ``nbgrader``, ``workspace``.
"""
