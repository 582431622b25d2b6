"""Who may have worked together more than they should: a hint for a person, never a verdict.

for pair in look_alikes(submissions, exercise):
    print(pair.sentence)
"""

from grader.instruct.similarity.compare import (
    SOLUTION,
    comparison_of,
    look_alikes,
    look_alikes_of_class,
    past_term,
)
from grader.instruct.similarity.comparison import Comparison, LookAlike
from grader.instruct.similarity.passages import Passage, Side

__all__ = [
    "SOLUTION",
    "Comparison",
    "LookAlike",
    "Passage",
    "Side",
    "comparison_of",
    "look_alikes",
    "look_alikes_of_class",
    "past_term",
]
