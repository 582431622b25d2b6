"""`asm` statements with `#if` among their strings: one statement for each branch, and no line moves."""

from __future__ import annotations

import pytest

from cusimt.translate.assembly_conditions import write_out_conditions
from cusimt.translate.source import Source

STATEMENT = """\
int a = 1; asm volatile(
    "x;"
#if A && \\
    B  // newer
    "y;"
#elif defined(C)
    "z;" ")"
#endif
    : "=r"(a)); g();
"""
WRITTEN = """\
int a = 1;~
#if A && B
asm volatile( "x;" "y;" : "=r"(a))
#elif defined(C)
asm volatile( "x;" "z;" ")" : "=r"(a))
#else
asm volatile( "x;" : "=r"(a))
#endif
; g();
"""


def test_every_branch_has_the_whole_statement() -> None:
    written = write_out_conditions(Source(STATEMENT)).text
    assert written == WRITTEN.replace("~", " ")
    assert written.count("\n") == STATEMENT.count("\n")


@pytest.mark.parametrize(
    "source",
    [
        '#define A\nasm("x;");\n',
        "int asm_count;\n#if A\n#endif\n",
        'asm("x;"\n#if A\n"y;"\n#if B\n"z;"\n#endif\n#endif\n\n\n);',
        'asm("x;"\n#if A\n"y;"\n#endif\n#if B\n"z;"\n#endif\n\n\n\n\n);',
        'asm("x;"\n#pragma once\n);',
        'asm("x;"\n#if A\n"y;"\n#endif\n);',  # no line is left for its #else
        'asm("x;"\n#if A\n"y;");',
    ],
)
def test_what_stays_as_it_is(source: str) -> None:
    read = Source(source)
    assert write_out_conditions(read) is read
