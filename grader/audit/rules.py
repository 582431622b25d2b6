"""Why something is not allowed, and what to write instead."""

from __future__ import annotations

from grader.audit.lists.builtins import INSTEAD

_RULE = "The grader runs what it can follow by reading"
PATCH_RULE = f"{_RULE}, so what a file imports keeps its name and stays as it is."
LIST_RULE = f"{_RULE}: docs/reference/allowed_python.md lists what a submission may use, and why."
DUNDER_RULE = (
    "Names between double underscores change how Python itself works with an object; a submission defines "
    "those of ordinary objects, such as __init__ and __call__. One leading underscore marks a private name."
)
OWN_RULE = "Objects of Python or PyTorch have an attribute of that name. Choose another one."


def instead(name: str) -> str:
    """The rule for a name that is on no list, with what to write for those that are asked for most often."""
    said = INSTEAD.get(name, "")
    return f"{said} {LIST_RULE}" if said else LIST_RULE
