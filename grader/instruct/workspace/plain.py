"""A page as portable Markdown, for GitHub, editors and JupyterLab.

The course's pages are written for its site, which includes files, draws figures in the page's colours and
folds blocks. In a workspace they are read as files.
"""

from __future__ import annotations

import posixpath
import re
import textwrap
from collections.abc import Callable, Collection
from pathlib import Path, PurePosixPath

from grader.instruct.workspace.pages import without_answers
from grader.instruct.workspace.snippets import Include, replace_includes, resolved

FIGURES, HINTS = "docs/figures/", "docs/_generated/hints/"
STYLE = "docs/stylesheets/course.css"

_FIGURE = re.compile(
    r'<figure[^>]*>\s*--8<-- "(?P<path>docs/figures/[^"]+)"\s*'
    r"(?:<figcaption>(?P<caption>.*?)</figcaption>\s*)?</figure>",
    re.DOTALL,
)
_BLOCK = re.compile(r'^(?P<indent> *)(?:\?\?\?\+?|!!!|===)(?: \w+)* "(?P<title>[^"]+)"$')
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<target>[^)\s]+)\)")
_FENCED = re.compile(r"(^ *```.*?^ *```\n)", re.MULTILINE | re.DOTALL)


def plain(markdown: str, page: str, course: Path, pages: Collection[str]) -> str:
    """The text of ``page`` (its path in the course), without answers.

    Of its links those to one of ``pages`` stay; others become their text. Raises UsageError for an include
    that is missing.
    """
    text = _FIGURE.sub(lambda match: _picture(match, page), without_answers(markdown, course))
    slug = PurePosixPath(page).stem
    text = replace_includes(text, lambda include: _hint(include, slug))
    text = _unfolded(resolved(text, course))
    return _outside_fences(text, lambda part: _LINK.sub(lambda link: _kept(link, page, pages), part))


def figures(markdown: str) -> set[str]:
    """The paths, in the course, of the figures that a page shows."""
    return {match["path"] for match in _FIGURE.finditer(markdown)}


def drawn_alone(svg: str, style: str) -> str:
    """A figure that is no part of a page: with the site's stylesheet in it, on white."""
    inner = f"<style><![CDATA[\n{style}\nsvg {{ background: #ffffff; }}\n]]></style>"
    return re.sub(r"(<svg[^>]*>)", lambda match: f"{match[1]}\n{inner}", svg, count=1)


def _picture(match: re.Match[str], page: str) -> str:
    target = posixpath.relpath(match["path"], posixpath.dirname(page))
    caption = " ".join(re.sub(r"<[^>]+>", "", match["caption"] or "").split())
    return f"![{caption or PurePosixPath(target).stem}]({target})" + (f"\n\n*{caption}*" if caption else "")


def _hint(include: Include, slug: str) -> str | None:
    """Hints are asked for one at a time."""
    if not include.path.startswith(HINTS):
        return None
    return f"One at a time, for the place that is open: `grader hint {slug[:2]}`"


def _unfolded(text: str) -> str:
    """Foldable blocks and tabs become a line in bold, and what was in them."""
    lines = text.splitlines()
    unfolded: list[str] = []
    while lines:
        line = lines.pop(0)
        block = _BLOCK.match(line)
        if not block:
            unfolded.append(line)
            continue
        inner = block["indent"] + "    "
        body = []
        while lines and (lines[0].startswith(inner) or not lines[0].strip()):
            body.append(lines.pop(0))
        content = _unfolded(textwrap.dedent("\n".join(body)).strip("\n"))
        heading = f"**{block['title']}**\n\n{content}"
        unfolded += [*textwrap.indent(heading, block["indent"]).splitlines(), ""]
    return "\n".join(unfolded) + "\n"


def _outside_fences(text: str, change: Callable[[str], str]) -> str:
    """Square brackets mean something else in code."""
    parts = _FENCED.split(text)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def _kept(link: re.Match[str], page: str, pages: Collection[str]) -> str:
    target = link["target"].partition("#")[0]
    if not target or re.match(r"[a-z]+:", target):
        return link[0]
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target.partition("?")[0]))
    return link[0] if path in pages else link["text"]
