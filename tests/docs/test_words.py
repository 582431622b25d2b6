"""What a user reads is free of the words that CONTRIBUTING.md says to avoid."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs import words
from tests.docs.words import ROOT, Word, offences


def test_no_text_uses_a_word_to_avoid() -> None:
    found = list(offences([ROOT]))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Nobody checks it.", 1),
        ("A missing fence\nis told.", 1),
        ("# what is\n# told here", 1),
        ("They can be distinguished; `nobody` is a user name.", 0),
        ("```\nnobody\n```", 0),
    ],
)
def test_a_page_is_searched_across_lines_but_not_in_code(text: str, found: int, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    searched = words.prose(page)
    listed = [Word("nobody", ""), Word("is told", "")]
    assert sum(1 for word in listed for _ in word.places(searched)) == found


def test_the_table_has_words_and_each_says_what_to_write() -> None:
    table = words.words()
    assert len(table) > 20
    assert all(word.write for word in table)


def test_of_python_only_strings_that_are_no_docstrings_are_searched() -> None:
    source = '"""Nobody."""\nx = "somebody " "is told"  # nobody\n'
    assert words._strings_of_python(source).strip() == "somebody is told"
