"""Renderings of a verdict: for a terminal (rich), as plain sentences, as HTML and as JUnit XML.

Importing this package imports neither rich nor torch; :mod:`grader.report.terminal` imports rich.
"""

from grader.report.plain import table_text, verdict_text

__all__ = ["table_text", "verdict_text"]
