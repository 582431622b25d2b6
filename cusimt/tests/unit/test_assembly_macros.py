"""`asm` statements with macros among their strings: every text that they may have, and no other."""

from __future__ import annotations

import pytest

from cusimt.translate import TranslationError, translate
from cusimt.translate.assembly_macros import Macros
from cusimt.translate.source import Source

HINT = '#if NEW\n#define HINT(size) ".L2::" #size "B"\n#else\n#define HINT(size)\n#endif\n'
NAMED = "#define TEXT(...) TEXT_OF(__VA_ARGS__)\n#define TEXT_OF(x) #x\n"
KERNEL = "__global__ void k(int* x) {{ {} }}\n"


def texts(source: str, *others: str) -> list[list[str]]:
    """For each pair of brackets behind the word `asm`, the texts that they may hold."""
    read = Source(source)
    macros, found = Macros((read, *map(Source, others))), []
    for stream in read.streams:
        for index in stream.positions("asm"):
            found.append(macros.texts(stream.tokens[index + 2 : stream.partner[index + 1]], stream))
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('asm("a" "b\\n");', ["ab\n"]),
        (HINT + 'asm("ld" HINT(128) ";");', ["ld.L2::128B;", "ld;"]),
        (NAMED + '#define BITS 32\nasm("ld.b" TEXT(BITS) TEXT_OF(BITS));', ["ld.b32BITS"]),
        ('#define LOAD "ld" SPACE\n#define SPACE ".global"\nasm(LOAD ";");', ["ld.global;"]),
        ('asm("a" UNKNOWN);', []),
        ('#define SELF "a" SELF\nasm(SELF);', []),
        ('#define PASTED(x) "a" x##1\nasm(PASTED(2));', []),
        (
            '#define OP(op, n) asm(#op ".b" #n)\nOP(and, 16); OP(or , 32); OP(and, 16);',
            ["and.b16", "or.b32"],
        ),
        (
            '#define OP(op) asm(op ";")\n#define BOTH(a) OP("x" #a) OP("y")\nBOTH(1) BOTH(2)',
            ["x1;", "x2;", "y;"],
        ),
        ('#define OP(op) asm(op ";")\n#define AGAIN(a) OP(a) AGAIN(a)\nAGAIN("x")', ["x;"]),
        ('#define OP(op) asm(op ";")', []),
    ],
)
def test_every_text_once(source: str, expected: list[str]) -> None:
    assert texts(source) == [expected]


def test_macros_of_other_files() -> None:
    assert texts('asm(LOAD ";");', '#define LOAD "ld.global"') == [["ld.global;"]]
    assert texts('#define OP(op) asm(#op ";")', "void f() { OP(a); OP(b); }") == [["a;", "b;"]]


def test_too_many_texts_are_none() -> None:
    uses = "".join(f"OP({number}) " for number in range(65))
    assert texts(f"#define OP(n) asm(#n)\n{uses}") == [[]]


def test_the_compiler_chooses_among_the_texts() -> None:
    fetch = '#ifdef NEW\n#define FETCH "wgmma.fetch"\n#else\n#define FETCH "prefetch.global"\n#endif\n'
    source = fetch + KERNEL.format('asm(FETCH ".L2 [%0];" :: "l"(x));')
    (code,) = [line for line in translate(source, "k.cu").split("\n") if "k(" in line]
    assert 'if (__builtin_strcmp(FETCH ".L2 [%0];", "prefetch.global.L2 [%0];") == 0)' in code
    assert "inline PTX (asm): wgmma.fetch.L2." in code  # that text is refused if it is the one
    assert "asm whose text or operands are put together by macros" in code  # and a text that nobody foresaw


def test_no_text_that_runs_is_refused_at_once() -> None:
    source = '#define FENCE "wgmma.fence"\n' + KERNEL.format('asm(FENCE ".sync.aligned;");')
    with pytest.raises(TranslationError, match=r"k.cu:2: inline PTX \(asm\): wgmma.fence.sync.aligned"):
        translate(source, "k.cu")
    with pytest.raises(TranslationError, match="put together by macros"):
        translate(KERNEL.format('asm(FENCE ".sync.aligned;");'), "k.cu")
