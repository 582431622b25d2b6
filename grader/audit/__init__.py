"""Reads a submission for what would make its verdict worthless, before and after it is built.

The checks ask the simulated GPU what happened, and that lies in one process with learner code. So a
submission that reaches for the grader is refused: op.py by its syntax tree, .cu and .cpp by their tokens, the
built library by the symbols it asks for. That stops what a person would write in an afternoon. It is no
security boundary, which only another process or machine is: docs/reference/trust.md.
"""

from grader.audit.audit import (
    Objection,
    audit_installed,
    audit_library,
    audit_python,
    audit_sources,
    audit_units,
)
from grader.audit.setup_source import why_not_compiled_with

__all__ = [
    "Objection",
    "audit_installed",
    "audit_library",
    "audit_python",
    "audit_sources",
    "audit_units",
    "why_not_compiled_with",
]
