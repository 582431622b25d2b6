"""Rewrite declarations of shared memory, where the header's macro `__shared__` is not enough.

In a function `extern __shared__ T name[];` becomes a reference to the block's dynamic shared memory,

    T (&name)[] = ::simt::dynamic_shared(); extern __thread SIMT_UNUSED T extern_shared_name[];

followed by a declaration that nothing uses. It makes the compiler refuse, as nvcc does, one name with two
types: what two instances of a template would declare. A macro pastes the name together
(`extern_shared_##n`), since its parameter may be a part. At file scope, where a reference would be
initialised too early, it becomes `extern __thread T name[] __asm__("simt_dynamic_shared");`. (g++ forgets
such a label in a template.)
"""

from __future__ import annotations

from cusimt.translate.expressions import spelled
from cusimt.translate.rewrite import Refused, Rewrite
from cusimt.translate.scopes import is_file_scope
from cusimt.translate.token_streams import TokenStream

_LABEL = ' __asm__("simt_dynamic_shared")'


def rewrite_shared(stream: TokenStream, rewrite: Rewrite) -> None:
    """Rewrite dynamic arrays; refuse initial values, which shared memory cannot have."""
    for index in stream.positions("__shared__"):
        if stream.text(index + 1) == "__shared__":
            continue  # the compiler refuses the repetition
        first = stream.declaration_start(index)
        past = _statement_end(stream, index)
        _refuse_initial_value(stream, index, past)
        external = [i for i in range(first, past) if stream.text(i) == "extern"]
        aligned = _alignment(stream, index, past)
        for i in aligned:
            rewrite.replace(stream.tokens[i], stream.tokens[i], "", macro=stream.macro)
        if external:
            _rewrite_dynamic(stream, (first, past), {index, external[0], *aligned}, rewrite)
        elif aligned:
            rewrite.insert(stream.tokens[first].start, f"{spelled(stream, aligned[0], aligned[-1] + 1)} ")


def _rewrite_dynamic(stream: TokenStream, span: tuple[int, int], dropped: set[int], rewrite: Rewrite) -> None:
    """`dropped`: `extern`, `__shared__` and an alignment; dynamic shared memory is aligned for everything."""
    tokens = stream.tokens
    words = [i for i in sorted(dropped) if stream.text(i) in ("extern", "__shared__")]
    arrays = _arrays(stream, max(words), span[1])
    if not arrays:
        raise Refused(
            tokens[min(words)].start,
            "extern __shared__ declares something that is not an array",
            "Dynamic shared memory is an array without a size, sized by the third parameter of the launch.",
        )
    at_file_scope = not stream.macro and is_file_scope(stream, span[0])
    rewrite.replace(tokens[min(words)], tokens[min(words)], "extern __thread" if at_file_scope else "")
    rewrite.replace(tokens[max(words)], tokens[max(words)], "")
    if at_file_scope:
        for _, last in arrays:
            rewrite.insert(tokens[last].end, _LABEL)
        return
    kept = [i for i in range(span[0], arrays[0][0]) if i not in dropped]
    declared = " ".join(spelled(stream, i, i + 1) for i in kept)
    prefix = "extern_shared_##" if stream.macro else "extern_shared_"  # the name may be the macro's parameter
    for name, last in arrays:
        rewrite.insert(tokens[name].start, "(&")
        rewrite.insert(tokens[name].end, ")")
        rewrite.insert(tokens[last].end, " = ::simt::dynamic_shared()")
        array = spelled(stream, name, last + 1)
        rewrite.insert(tokens[span[1] - 1].end, f"; extern __thread SIMT_UNUSED {declared} {prefix}{array}")


def _statement_end(stream: TokenStream, index: int) -> int:
    while index < len(stream.tokens) and stream.text(index) not in (";", "}", ")"):
        index = stream.skip(index)
    return index


def _alignment(stream: TokenStream, index: int, past: int) -> list[int]:
    """Indices of the `alignas(...)` behind `__shared__`: g++ wants it in front. A type keeps its own."""
    for first in range(index + 1, past):
        if stream.text(first) == "alignas" and stream.text(first - 1) not in ("struct", "class", "union"):
            return list(range(first, min(stream.skip(first + 1), past)))
        if not stream.is_word(first):
            break
    return []


def _arrays(stream: TokenStream, index: int, past: int) -> list[tuple[int, int]]:
    """Of each array declared between `index` and `past`: its name and its last `]`."""
    arrays: list[tuple[int, int]] = []
    while index < past:
        is_bound = stream.text(index) == "[" and stream.text(index + 1) != "["
        if is_bound and stream.is_word(index - 1):
            arrays.append((index - 1, stream.skip(index) - 1))
        elif is_bound and arrays:
            arrays[-1] = (arrays[-1][0], stream.skip(index) - 1)
        index = stream.skip(index)
    return arrays


def _refuse_initial_value(stream: TokenStream, index: int, past: int) -> None:
    while index < past:
        around = {stream.text(index - 1), stream.text(index + 1)}
        if stream.text(index) == "=" and not around & {"=", "!"}:
            raise Refused(
                stream.tokens[index].start,
                "an initial value is not allowed for a __shared__ variable",
                "Shared memory starts undefined: let threads write it, then call __syncthreads().",
            )
        index = stream.skip(index)
