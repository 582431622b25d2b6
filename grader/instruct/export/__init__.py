"""Marks on their way out: CSV, Canvas's gradebook, Moodle's grading worksheet.

    filled = fill_canvas(Path("gradebook.csv"), {"Fused multiply-add": grades}, Path("upload.csv"))
    print(filled["Fused multiply-add"].sentence)

What an LMS exported stays as it is, but for the cells that are ours: an LMS knows its rows and columns by
what it wrote there. A mark that nobody knows yet leaves its cell alone; it never becomes a zero.
"""

from grader.instruct.export.canvas import fill_canvas
from grader.instruct.export.moodle import fill_moodle, is_worksheet
from grader.instruct.export.sheet import Filled, Grade, inert, write_export

__all__ = [
    "Filled",
    "Grade",
    "fill_canvas",
    "fill_moodle",
    "inert",
    "is_worksheet",
    "write_export",
]
