"""Why something is not allowed, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from grader.audit.lists.builtins import INSTEAD

_RULE = "The grader runs what it can follow by reading"
PATCH_RULE = f"{_RULE}, so what a file imports keeps its name and stays as it is."
LIST_RULE = f"{_RULE}: docs/reference/allowed_python.md lists what a submission may use, and why."
DUNDER_RULE = (
    "Names between double underscores change how Python itself works with an object; a submission defines "
    "those of ordinary objects, such as __init__ and __call__. One leading underscore marks a private name."
)
OWN_RULE = "Objects of Python or PyTorch have an attribute of that name. Choose another one."


_CLOSE = 0.8  # of 1: one letter that is missing, wrong or exchanged with its neighbour, in a name of five


def instead(name: str, known: Iterable[str] = ()) -> str:
    """The rule for a name that is on no list, with what to write for those that are asked for most often.

    A name that nothing has is a slip: it is answered with the one of `known` that is spelled like it.
    """
    said = INSTEAD.get(name, "")
    if not said and (close := get_close_matches(name, sorted(known), n=1, cutoff=_CLOSE)):
        said = f"Did you mean `{close[0]}`?"
    return f"{said} {LIST_RULE}" if said else LIST_RULE
