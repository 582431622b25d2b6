"""What the shape of a gradient says that autograd refused: whose it is, or that it is transposed."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.checks.values.inputs import Inputs
from grader.run.values import RemoteError

_REFUSED = re.compile(
    r"invalid gradient at index (?P<index>\d+) - got \[(?P<got>[\d, ]*)\] but expected shape compatible with "
    r"\[(?P<wanted>[\d, ]*)\]"
)


def with_owner(error: RemoteError, inputs: Inputs) -> RemoteError:
    """`error`, where autograd refused a gradient's shape, with the input that has this shape."""
    refused = _REFUSED.search(error.message)
    if refused is None:
        return error
    got, wanted = _extents(refused["got"]), _extents(refused["wanted"])
    owners = [each.name for each in inputs.tensors() if each.spec.shape == got]
    told = []
    if len(owners) == 1:
        told.append(
            f"[{refused['got']}] is the shape of {owners[0]}: return the gradients in the order of forward's "
            "inputs."
        )
    if len(got) == 2 and got == wanted[::-1]:
        told.append(
            f"[{refused['got']}] is the right shape transposed: are the factors of a product exchanged, or "
            "rows and columns of its result?"
        )
    if not told:
        return error
    return replace(error, message=f"{error.message.rstrip('.')}. {' Or: '.join(told)}")


def _extents(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(",") if each.strip())
