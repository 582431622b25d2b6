"""What the shape of a gradient says that autograd refused: which input's it is."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.checks.values.inputs import Inputs
from grader.run.values import RemoteError

_REFUSED = re.compile(
    r"invalid gradient at index \d+ - got \[(?P<got>[\d, ]*)\] but expected shape compatible with "
)


def with_owner(error: RemoteError, inputs: Inputs) -> RemoteError:
    """`error`, where autograd refused a gradient's shape, with the input that has this shape."""
    refused = _REFUSED.search(error.message)
    if refused is None:
        return error
    owners = [each.name for each in inputs.tensors() if each.spec.shape == _extents(refused["got"])]
    if len(owners) != 1:
        return error
    whose = f"[{refused['got']}] is the shape of {owners[0]}"
    advice = f"{whose}: return the gradients in the order of forward's inputs."
    return replace(error, message=f"{error.message.rstrip('.')}. {advice}")


def _extents(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(",") if each.strip())
