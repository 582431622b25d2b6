"""The site for a class: without answers, where ``CU2GRAD_SITE=class`` is set. mkdocs calls these hooks.

Run by ``make site-class``. Sections with solutions are left out, verdicts lose the lines of code that they
quote, and a page that shows a line found only in the solutions fails the build.
"""

from __future__ import annotations

import html
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

COURSE = Path(__file__).resolve().parents[2]
FOR_A_CLASS = os.environ.get("CU2GRAD_SITE") == "class"
TEACH = "Teach"  # the tab of the navigation that a class has no use for


def on_config(config: Any) -> Any:
    """The handbook stays, for links to it, but not in the menu."""
    if FOR_A_CLASS:
        sys.path.insert(0, str(COURSE))  # mkdocs may be a program of another environment
        config.nav = [entry for entry in config.nav if TEACH not in entry]
        config.validation.nav.omitted_files = 0
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Before includes are resolved: what has to go is known by where it comes from."""
    if not FOR_A_CLASS:
        return markdown
    from grader.instruct.workspace.pages import without_answers

    return without_answers(markdown, COURSE)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Looks at the page as it will be read."""
    if FOR_A_CLASS:
        shown = answers().found_in(html.unescape(re.sub(r"<[^>]+>", "", output)))
        if shown:
            place = answers().places[shown[0]]
            raise PluginError(f"{page.file.src_uri} would show a line of {place}: {shown[0]}")
    return output


@cache
def answers() -> Any:
    """What no page may show."""
    from grader.course.catalog import Catalog
    from grader.instruct.workspace.lessons import answers_for

    catalog = Catalog.open(COURSE)
    return answers_for(catalog, catalog.exercises)
