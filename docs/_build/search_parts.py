"""Search finds an identifier by its parts: ``input_grad`` and ``grad`` lead to ``ctx.needs_input_grad``.

mkdocs calls this hook. The separator in mkdocs.yml keeps an identifier whole, so that all of it ranks first; its
beginnings are found because search completes words. Here each section gets the ends that are not words of it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

_TAG = re.compile(r"<[^>]+>")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def ends(name: str) -> set[str]:
    """What follows each dot and each underscore: ``a.b_c`` has ``b_c`` and ``c``."""
    return {name[match.end() :] for match in re.finditer(r"[._]+", name)} - {""}


def with_parts(text: str) -> str:
    """A section's text in the index, where the ends of each identifier follow it, hidden from the reader."""
    plain = {name for part in _TAG.split(text) for name in _IDENTIFIER.findall(part)}
    known = set(plain)

    def followed(name: re.Match[str]) -> str:
        new = sorted(end for end in ends(name[0]) - known if len(end) > 2)
        known.update(new)
        return f'{name[0]}<span class="search-parts"> {" ".join(new)} </span>' if new else name[0]

    pieces = re.split(f"({_TAG.pattern})", text)
    return "".join(piece if piece.startswith("<") else _IDENTIFIER.sub(followed, piece) for piece in pieces)


def on_post_build(config: Any) -> None:
    """After the search plugin wrote its index."""
    path = Path(config.site_dir) / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    for section in index["docs"]:
        section["text"] = with_parts(section["text"])
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
