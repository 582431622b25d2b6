from __future__ import annotations

import pytest

from grader.course.sections import Region, find_regions
from grader.support.errors import BrokenExercise

GOOD = """\
int before;
    // --8<-- [start:index]
    int i = 0;
    // --8<-- [end:index]
# --8<-- [start:forward]
# --8<-- [end:forward]
"""


def test_regions_carry_the_lines_of_their_markers() -> None:
    assert find_regions(GOOD, "kernel.cu") == [Region("index", 2, 4), Region("forward", 5, 6)]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("a\n// --8<-- [start:one]\nb\n", "k.cu:2:", "'one' is never closed"),
        (
            "// --8<-- [start:one]\n// --8<-- [start:two]\n",
            "k.cu:2:",
            "inside section 'one' (opened in line 1)",
        ),
        ("\n// --8<-- [end:one]\n", "k.cu:2:", "no section is open"),
        ("// --8<-- [start:one]\n// --8<-- [end:two]\n", "k.cu:2:", "section 'one' is open"),
        ("// --8<-- [start:one]\n// --8<-- [end:one]\n// --8<-- [start:one]\n", "k.cu:3:", "a second time"),
        ("// --8<-- [begin:one]\n", "k.cu:1:", "is not a section marker"),
        ("int x;  // --8<-- [start:one]\n", "k.cu:1:", "is not a section marker"),
        ("// --8<-- [start:Not-a-name]\n", "k.cu:1:", "is not a section marker"),
    ],
)
def test_a_broken_marker_is_named_with_file_and_line(text: str, where: str, what: str) -> None:
    with pytest.raises(BrokenExercise) as caught:
        find_regions(text, "k.cu")
    assert str(caught.value).startswith(where)
    assert what in caught.value.what
    assert caught.value.next.endswith("make sync")
