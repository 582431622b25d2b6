"""Rewrite declarations of shared memory, where the header's macro `__shared__` is not enough.

`extern __shared__ T name[];` becomes `extern __thread T name[] __asm__("simt_dynamic_shared");`: every such
array is the one the runtime gives the block, whatever its name and type. As with nvcc, two declarations of
one name must agree in type.
"""

from __future__ import annotations

from grader.simt.translate.expressions import declaration_start
from grader.simt.translate.passages import Passage
from grader.simt.translate.refusal import Refused
from grader.simt.translate.rewrite import Rewrite

_LABEL = ' __asm__("simt_dynamic_shared")'


def rewrite_shared(passage: Passage, rewrite: Rewrite) -> None:
    """Label dynamic arrays; refuse initial values, which shared memory cannot have."""
    for index in passage.positions("__shared__"):
        first = declaration_start(passage, index)
        past = index
        while past < len(passage.tokens) and passage.text(past) not in (";", "}", ")"):
            past = passage.skip(past)
        _refuse_initial_value(passage, index, past)
        external = [i for i in range(first, past) if passage.text(i) == "extern"]
        if external:
            _label(passage, (min(index, external[0]), max(index, external[0])), past, rewrite)


def _label(passage: Passage, specifiers: tuple[int, int], past: int, rewrite: Rewrite) -> None:
    tokens = passage.tokens
    rewrite.replace(tokens[specifiers[0]], tokens[specifiers[0]], "extern __thread")
    rewrite.replace(tokens[specifiers[1]], tokens[specifiers[1]], "")
    labelled = False
    index = specifiers[0]
    while index < past:
        is_bound = passage.text(index) == "[" and passage.text(index + 1) != "["
        index = passage.skip(index)
        if is_bound and passage.text(index) != "[":
            rewrite.insert(tokens[index - 1].end, _LABEL)
            labelled = True
    if not labelled:
        raise Refused(
            tokens[specifiers[0]].start,
            "extern __shared__ declares something that is not an array",
            "Dynamic shared memory is an array without a size, sized by the third parameter of the launch.",
        )


def _refuse_initial_value(passage: Passage, index: int, past: int) -> None:
    while index < past:
        around = {passage.text(index - 1), passage.text(index + 1)}
        if passage.text(index) == "=" and not around & {"=", "!"}:
            raise Refused(
                passage.tokens[index].start,
                "an initial value is not allowed for a __shared__ variable",
                "Shared memory starts undefined: let threads write it, then call __syncthreads().",
            )
        index = passage.skip(index)
