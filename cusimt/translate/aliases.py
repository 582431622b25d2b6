"""`using Scan = Scan<T, 32>;` in a class: an alias that hides the template it is made of.

nvcc accepts it, g++ does not: a name must not change its meaning within a class. What stands among the
parameters of a function type is looked up without the class taking note of it.
"""

from __future__ import annotations

from cusimt.translate.passages import Passage
from cusimt.translate.rewrite import Rewrite


def rewrite_aliases(passage: Passage, rewrite: Rewrite) -> None:
    for index in passage.positions("using"):
        name = passage.text(index + 1)
        if [passage.text(index + step) for step in (2, 3, 4)] != ["=", name, "<"]:
            continue
        close = passage.template_close(index + 4)
        if close is not None and passage.text(close + 1) == ";":
            rewrite.insert(passage.tokens[index + 3].start, "::simt::parameter_of<void(")
            rewrite.insert(passage.tokens[close].end, "*)>")
