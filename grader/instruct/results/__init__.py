"""What was found out about submissions, kept for good: keys, records, and the log of verdicts."""

from grader.instruct.results.key import Key, content_digest, files_digest, key_of
from grader.instruct.results.log import Entry, VerdictLog
from grader.instruct.results.record import Record
from grader.instruct.results.secret import Secret
from grader.instruct.results.store import ResultStore

__all__ = [
    "Entry",
    "Key",
    "Record",
    "ResultStore",
    "Secret",
    "VerdictLog",
    "content_digest",
    "files_digest",
    "key_of",
]
