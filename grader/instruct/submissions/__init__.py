"""What people handed in, as files, and nothing about it believed.

    submissions = read_submissions(Path("submitted"), catalog)
    files = look(submissions[0], exercise).files      # what is graded

A name, a link, a size or an archive's directory is somebody else's claim. Only files that the exercise lets
a learner edit are ever read, through descriptors that follow no link, up to a size.
"""

from grader.instruct.submissions.folder import read_submissions
from grader.instruct.submissions.submission import Handed, Submission, lay_out, look

__all__ = ["Handed", "Submission", "lay_out", "look", "read_submissions"]
