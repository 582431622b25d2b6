"""Calls of member templates without the keyword `template`, which g++ wants where a type depends on others.

nvcc takes `reader.load<4>(x)` and `Cast<T>::run<4>(x)` for calls in every kernel. g++ reads the `<` as a
comparison if the type of `reader`, or `Cast<T>`, depends on a template's parameters. With the keyword the
call has one meaning for both, and it is allowed outside templates, too. It is written where the name is that
of a function template in the program's own sources, so `count < n` stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from cusimt.translate.rewrite import Rewrite
from cusimt.translate.source import Source
from cusimt.translate.token_streams import TokenStream

__all__ = ["complete_template_calls"]

# The name in front of the first round bracket behind the parameters of a template.
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}()]*>[^;{}()=]*?\b([A-Za-z_]\w*)\s*\(")
# What stands in front of a call, and not of a declaration: `int A<T>::f<4>(int)` specialises f.
_BEFORE_EXPRESSION = frozenset([";", "{", "}", "=", "(", ",", "<", "return", "!", "+", "-", "/", "?"])


def complete_template_calls(source: Source, others: Iterable[str]) -> Source:
    """`source` with `template` in front of members that are called with template arguments.

    Of members, only names of function templates that it or one of the `others` declares count.
    """
    texts = (source.text, *others)
    templates = {name for text in texts for name in _TEMPLATE.findall(text)}
    rewrite = Rewrite(source.text)
    for stream in source.streams:
        for name in templates:
            for index in stream.positions(name):
                if _is_member(stream, index) and _is_call(stream, index):
                    rewrite.insert(stream.tokens[index].start, "template ")
    completed = rewrite.result()
    return source if completed == source.text else Source(completed)


def _is_member(stream: TokenStream, index: int) -> bool:
    before = stream.text(index - 1)
    if before != "::":
        return before in (".", "->")
    opener = stream.template_open(index - 2) if stream.text(index - 2) == ">" else None
    if opener is None:
        return False
    first = opener - 1
    while stream.text(first - 1) == "::" and stream.is_word(first - 2):
        first -= 2
    return stream.text(first - 1) in _BEFORE_EXPRESSION


def _is_call(stream: TokenStream, index: int) -> bool:
    """Do template arguments and an opening bracket follow? What joins two comparisons is no argument."""
    close = stream.template_close(index + 1) if stream.text(index + 1) == "<" else None
    if close is None or stream.text(close + 1) != "(":
        return False
    words = [stream.text(each) for each in range(index + 2, close)]
    return not any(one == other and one in ("&", "|") for one, other in pairwise(words))
