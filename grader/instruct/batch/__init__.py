"""Grading many submissions on one machine."""

from grader.instruct.batch.driver import Ended, ItemOutcome, Watch, items_of, run_batch
from grader.instruct.batch.grading import Failed, Item, Judge, batch_key, grade_one
from grader.instruct.batch.lane import LaneSettings
from grader.instruct.batch.local import LocalSettings, grade_here
from grader.instruct.batch.summary import Summary, everybody, summarise

__all__ = [
    "Ended",
    "Failed",
    "Item",
    "ItemOutcome",
    "Judge",
    "LaneSettings",
    "LocalSettings",
    "Summary",
    "Watch",
    "batch_key",
    "everybody",
    "grade_here",
    "grade_one",
    "items_of",
    "run_batch",
    "summarise",
]
