"""For authors: what an exercise lacks, the proof that it is judged rightly, and a new one to begin with."""

from grader.author.problem import Problem
from grader.author.proof import prove
from grader.author.rules import problems_of
from grader.author.scaffold import scaffold

__all__ = ["Problem", "problems_of", "prove", "scaffold"]
