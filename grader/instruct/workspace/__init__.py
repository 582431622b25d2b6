"""What is handed out to learners, and pages of the course, without the answers.

    release = release_of(Catalog.open(course), ["00", "03"])

It is searched for lines that stand in the solutions alone, before anything is written.
"""

from grader.instruct.workspace.lessons import Answers, given_away
from grader.instruct.workspace.release import release_of

__all__ = ["Answers", "given_away", "release_of"]
