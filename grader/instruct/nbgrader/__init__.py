"""nbgrader keeps the books and shows the pages; what is right is decided by the grader.

    c = get_config()
    configure(c)

Notebooks are generated from exercises. Their marks come from the store of results: ``nbgrader autograde``
starts no kernel and runs nothing that a learner wrote into a notebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.instruct.nbgrader.config import configure

__all__ = ["configure"]


def __getattr__(name: str) -> Any:
    """Importing nbgrader takes a second, and it may be missing: only what needs it pays for it."""
    if name == "configure":
        from grader.instruct.nbgrader.config import configure

        return configure
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
