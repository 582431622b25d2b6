"""Grading many submissions on one machine."""

from grader.instruct.batch.gpus import Gpu, exclusive_gpu, visible_gpus
from grader.instruct.batch.grading import Judge, batch_key, build_one, grade_one

__all__ = ["Gpu", "Judge", "batch_key", "build_one", "exclusive_gpu", "grade_one", "visible_gpus"]
