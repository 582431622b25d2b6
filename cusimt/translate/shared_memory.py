"""Rewrite declarations of shared memory, where the header's macro `__shared__` is not enough.

In a function `extern __shared__ T name[];` becomes a reference to the block's dynamic shared memory,

    T (&name)[] = ::simt::dynamic_shared(); extern __thread SIMT_UNUSED T extern_shared_name[];

followed by a declaration that nothing uses. It makes the compiler refuse, as nvcc does, one name with two
types: what two instances of a template would declare. At file scope, where a reference would be initialised
too early, it becomes `extern __thread T name[] __asm__("simt_dynamic_shared");`. (g++ forgets such a label in
a template.)
"""

from __future__ import annotations

from cusimt.translate.expressions import spelled
from cusimt.translate.passages import Passage
from cusimt.translate.refusal import Refused
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.scopes import is_file_scope

_LABEL = ' __asm__("simt_dynamic_shared")'


def rewrite_shared(passage: Passage, rewrite: Rewrite) -> None:
    """Rewrite dynamic arrays; refuse initial values, which shared memory cannot have."""
    for index in passage.positions("__shared__"):
        if passage.text(index + 1) == "__shared__":
            continue  # the compiler refuses the repetition
        first = passage.declaration_start(index)
        past = _statement_end(passage, index)
        _refuse_initial_value(passage, index, past)
        external = [i for i in range(first, past) if passage.text(i) == "extern"]
        aligned = _alignment(passage, index, past)
        for i in aligned:
            rewrite.replace(passage.tokens[i], passage.tokens[i], "", macro=passage.macro)
        if external:
            _rewrite_dynamic(passage, (first, past), {index, external[0], *aligned}, rewrite)
        elif aligned:
            rewrite.insert(passage.tokens[first].start, f"{spelled(passage, aligned[0], aligned[-1] + 1)} ")


def _rewrite_dynamic(passage: Passage, span: tuple[int, int], dropped: set[int], rewrite: Rewrite) -> None:
    """`dropped`: `extern`, `__shared__` and an alignment; dynamic shared memory is aligned for everything."""
    tokens = passage.tokens
    words = [i for i in sorted(dropped) if passage.text(i) in ("extern", "__shared__")]
    arrays = _arrays(passage, max(words), span[1])
    if not arrays:
        raise Refused(
            tokens[min(words)].start,
            "extern __shared__ declares something that is not an array",
            "Dynamic shared memory is an array without a size, sized by the third parameter of the launch.",
        )
    at_file_scope = not passage.macro and is_file_scope(passage, span[0])
    rewrite.replace(tokens[min(words)], tokens[min(words)], "extern __thread" if at_file_scope else "")
    rewrite.replace(tokens[max(words)], tokens[max(words)], "")
    if at_file_scope:
        for _, last in arrays:
            rewrite.insert(tokens[last].end, _LABEL)
        return
    kept = [i for i in range(span[0], arrays[0][0]) if i not in dropped]
    declared = " ".join(spelled(passage, i, i + 1) for i in kept)
    for name, last in arrays:
        rewrite.insert(tokens[name].start, "(&")
        rewrite.insert(tokens[name].end, ")")
        rewrite.insert(tokens[last].end, " = ::simt::dynamic_shared()")
        array = spelled(passage, name, last + 1)
        rewrite.insert(
            tokens[span[1] - 1].end, f"; extern __thread SIMT_UNUSED {declared} extern_shared_{array}"
        )


def _statement_end(passage: Passage, index: int) -> int:
    while index < len(passage.tokens) and passage.text(index) not in (";", "}", ")"):
        index = passage.skip(index)
    return index


def _alignment(passage: Passage, index: int, past: int) -> list[int]:
    """Indices of the `alignas(...)` behind `__shared__`: g++ wants it in front. A type keeps its own."""
    for first in range(index + 1, past):
        if passage.text(first) == "alignas" and passage.text(first - 1) not in ("struct", "class", "union"):
            return list(range(first, min(passage.skip(first + 1), past)))
        if not passage.is_word(first):
            break
    return []


def _arrays(passage: Passage, index: int, past: int) -> list[tuple[int, int]]:
    """Of each array declared between `index` and `past`: its name and its last `]`."""
    arrays: list[tuple[int, int]] = []
    while index < past:
        is_bound = passage.text(index) == "[" and passage.text(index + 1) != "["
        if is_bound and passage.is_word(index - 1):
            arrays.append((index - 1, passage.skip(index) - 1))
        elif is_bound and arrays:
            arrays[-1] = (arrays[-1][0], passage.skip(index) - 1)
        index = passage.skip(index)
    return arrays


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
