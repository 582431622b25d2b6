"""Compiler output is cut to the learner's lines, whichever compiler wrote it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from grader.compilation import diagnostics

SOURCE = """\
#include <vector>
#include <algorithm>
struct P { int a; };
void f(float* p) {
  std::vector<P> v; std::sort(v.begin(), v.end());
  undeclared(3);
}
template <typename T> void inner(T x) { x.nope(); }
void g() { inner(3); }
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """kernel.cu in a folder that is also the current one, so that messages name it without a path."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.cu").write_text(SOURCE)
    return tmp_path / "kernel.cu"


def trim(log: str, source: Path) -> str:
    return diagnostics.trim(textwrap.dedent(log).replace("FILE", str(source)), [source])


def test_gcc_keeps_the_line_and_the_caret(source: Path) -> None:
    log = """\
    [1/2] g++ -std=c++20 -c FILE -o kernel.o
    FAILED: kernel.o
    FILE: In function ‘void f(float*)’:
    FILE:6:3: error: ‘undeclared’ was not declared in this scope
        6 |   undeclared(3);
          |   ^~~~~~~~~~
    ninja: build stopped: cannot make progress due to previous errors.
    """
    assert trim(log, source) == (
        "kernel.cu:6:3: error: ‘undeclared’ was not declared in this scope\n"
        "    6 |   undeclared(3);\n"
        "      |   ^~~~~~~~~~"
    )


def test_gcc_moves_an_error_in_a_header_to_the_line_that_led_there(source: Path) -> None:
    log = """\
    In file included from /usr/include/c++/12/bits/stl_algobase.h:71,
                     from FILE:1:
    /usr/include/c++/12/bits/predefined_ops.h: In instantiation of ‘bool less(I, I) [with I = P*]’:
    /usr/include/c++/12/bits/stl_algo.h:1940:31:   required from ‘void std::__sort(R, R, C)’
    FILE:5:30:   required from here
    /usr/include/c++/12/bits/predefined_ops.h:45:23: error: no match for ‘operator<’
       45 |       { return *__it1 < *__it2; }
          |                ~~~~~~~^~~~~~~~
    /usr/include/c++/12/bits/stl_iterator.h:1185:5: note: candidate: ‘operator<=>’
     1185 |     operator<=>(const __normal_iterator<L, C>& __lhs,
          |     ^~~~~~~~
    /usr/include/c++/12/bits/predefined_ops.h: In instantiation of ‘bool less2(I, I) [with I = P*]’:
    FILE:5:30:   required from here
    /usr/include/c++/12/bits/predefined_ops.h:98:22: error: no match for ‘operator<’
       98 |       { return __val < *__it; }
          |                ~~~~~~^~~~~~~
    """
    assert trim(log, source) == (
        "kernel.cu:5: error: no match for ‘operator<’\n"
        "    5 |   std::vector<P> v; std::sort(v.begin(), v.end());\n"
        "      | (this line leads to predefined_ops.h:45, where the compiler gives up)"
    )


def test_gcc_says_which_line_instantiates_a_broken_template(source: Path) -> None:
    log = """\
    FILE: In instantiation of ‘void inner(T) [with T = int]’:
    FILE:9:17:   required from here
    FILE:8:43: error: request for member ‘nope’ in ‘x’, which is of non-class type ‘int’
        8 | template <typename T> void inner(T x) { x.nope(); }
          |                                         ~~^~~~
    """
    shown = trim(log, source)
    assert shown.startswith("kernel.cu:8:43: error: request for member ‘nope’")
    assert shown.endswith("kernel.cu:9: note: this line instantiates the template")
    required = "    FILE:9:17:   required from here\n"
    assert trim(log.replace(required, 2 * required), source) == shown  # by two templates of one line


def test_gcc_candidates_that_nobody_meant_are_left_out(source: Path) -> None:
    """A copy, and the lines that only introduce another; the learner's line is shown once."""
    source.write_text(
        "template <typename T>\nstruct Buffer {\n  explicit Buffer(unsigned long n);\n};\nBuffer b(8);\n"
    )
    log = """\
    FILE:5:11: error: class template argument deduction failed:
        5 | Buffer b(8);
          |           ^
    FILE:5:11: error: no matching function for call to ‘Buffer(int)’
    FILE:3:12: note: candidate: ‘template<class T> Buffer(long unsigned int)-> Buffer<T>’
        3 |   explicit Buffer(unsigned long n);
          |            ^~~~~~
    FILE:3:12: note:   template argument deduction/substitution failed:
    FILE:5:11: note:   couldn’t deduce template parameter ‘T’
        5 | Buffer b(8);
          |           ^
    FILE:2:8: note: candidate: ‘template<class T> Buffer(const Buffer<T>&)-> Buffer<T>’
        2 | struct Buffer {
          |        ^~~~~~
    FILE:2:8: note:   template argument deduction/substitution failed:
    FILE:5:11: note:   mismatched types ‘const Buffer<T>’ and ‘int’
        5 | Buffer b(8);
          |           ^
    FILE:2:8: note: candidate: ‘template<class T> Buffer(Buffer<T>)-> Buffer<T>’
        2 | struct Buffer {
          |        ^~~~~~
    """
    said = trim(log, source)
    assert said.splitlines() == [
        "kernel.cu:5:11: error: class template argument deduction failed: "
        "no matching function for call to ‘Buffer(int)’",
        "kernel.cu:3:12: note: candidate: ‘template<class T> Buffer(long unsigned int)-> Buffer<T>’",
        "    3 |   explicit Buffer(unsigned long n);",
        "      |            ^~~~~~",
        "kernel.cu:5:11: note: couldn’t deduce template parameter ‘T’",
    ]


@pytest.mark.parametrize(
    ("candidate", "shown"),
    [
        ("candidate: ‘Buffer::Buffer(const Buffer&)’", False),
        ("candidate: ‘constexpr Buffer::Buffer(Buffer&&)’", False),
        ("candidate constructor (the implicit copy constructor) not viable: Buffer(const Buffer &)", False),
        ("candidate: ‘Buffer::Buffer(int)’", True),
        ("candidate: ‘void copy(const Buffer&)’", True),
    ],
)
def test_which_candidates_are_shown(candidate: str, shown: bool, source: Path) -> None:
    log = f"FILE:6:3: error: no matching function\nFILE:3:8: note: {candidate}\n"
    assert (candidate in trim(log, source)) is shown


def test_a_missing_header_is_shown_where_it_is_included(source: Path) -> None:
    log = """\
    FILE:1:10: fatal error: nothing.h: No such file or directory
        1 | #include <nothing.h>
          |          ^~~~~~~~~~~
    compilation terminated.
    """
    assert trim(log, source).startswith("kernel.cu:1:10: error: nothing.h: No such file or directory")


def test_clang_notes_lead_to_the_learners_line(source: Path) -> None:
    log = """\
    In file included from FILE:2:
    /usr/include/c++/12/bits/predefined_ops.h:45:23: error: invalid operands to binary expression
          { return *__it1 < *__it2; }
                   ~~~~~~ ^ ~~~~~~
    /usr/include/c++/12/bits/stl_algo.h:4820:12: note: in instantiation of function template
          std::__sort(__first, __last, __gnu_cxx::__ops::__iter_less_iter());
               ^
    FILE:5:26: note: in instantiation of function template 'std::sort<P *>' requested here
      std::vector<P> v; std::sort(v.begin(), v.end());
                             ^
    FILE:6:3: error: use of undeclared identifier 'undeclared'
      undeclared(3);
      ^
    2 errors generated.
    """
    assert trim(log, source) == (
        "kernel.cu:5: error: invalid operands to binary expression\n"
        "    5 |   std::vector<P> v; std::sort(v.begin(), v.end());\n"
        "      | (this line leads to predefined_ops.h:45, where the compiler gives up)\n"
        "kernel.cu:6:3: error: use of undeclared identifier 'undeclared'\n"
        "  undeclared(3);\n"
        "  ^"
    )


def test_nvcc_keeps_the_line_and_drops_the_instantiations(source: Path) -> None:
    log = """\
    FILE(6): error: identifier "undeclared" is undefined
        undeclared(3);
        ^

    /usr/include/c++/12/bits/predefined_ops.h(45): error: no operator "<" matches these operands
                operand types are: P < P
            { return *__it1 < *__it2; }
                            ^
    /usr/include/c++/12/bits/predefined_ops.h(45): note #3328-D: built-in operator< does not match
            { return *__it1 < *__it2; }
                            ^
              detected during:
                instantiation of "void std::__sort(R, R, C)"
                instantiation of "void std::sort(R, R)" at line 5 of FILE

    2 errors detected in the compilation of "FILE".
    """
    assert trim(log, source) == (
        'kernel.cu:6: error: identifier "undeclared" is undefined\n'
        "    undeclared(3);\n"
        "    ^\n"
        'kernel.cu:5: error: no operator "<" matches these operands\n'
        "    5 |   std::vector<P> v; std::sort(v.begin(), v.end());\n"
        "      | (this line leads to predefined_ops.h:45, where the compiler gives up)"
    )


def test_warnings_are_left_out_and_long_lists_are_cut(source: Path) -> None:
    log = "".join(f"FILE:{n}:1: warning: w{n}\nFILE:{n}:1: error: e{n}\n" for n in range(1, 13))
    shown = trim(log, source).splitlines()
    assert shown[0] == "kernel.cu:1:1: error: e1"
    assert len(shown) == diagnostics.SHOWN_ERRORS + 1
    assert shown[-1] == "... and 4 more errors"


@pytest.mark.parametrize(
    "log",
    [
        "/usr/bin/ld: k.o: in function `f(at::Tensor const&)':\n"
        "b.cpp:(.text+0x544): undefined reference to `launch<float>(float const*, long)'\n"
        "/usr/bin/ld: b.cpp:(.text+0x593): more undefined references to "
        "`launch<float>(float const*, long)' follow\n",
        "k.o:b.cpp:function f(): error: undefined reference to 'launch<float>(float const*, long)'\n",
        "ld.lld: error: undefined symbol: launch<float>(float const*, long)\n>>> referenced by b.cpp\n",
    ],
    ids=["ld", "gold", "lld"],
)
def test_an_undefined_symbol_is_told_once(log: str, source: Path) -> None:
    expected = "error: launch<float>(float const*, long) is used, but nothing defines or instantiates it"
    assert diagnostics.link_errors(log) == expected
    assert trim(log, source) == expected


def test_symbols_of_the_interpreter_are_not_missing() -> None:
    log = (
        "/usr/bin/ld: k.o: in function `PyInit_x':\n"
        "b.cpp:(.text+0x2): warning: undefined reference to `PyErr_Format'\n"
        "/usr/bin/ld: b.cpp:(.text+0x2): warning: undefined reference to `_Py_Dealloc'\n"
        "the compiler says something\n"
    )
    assert diagnostics.link_errors(log) == ""
    assert diagnostics.without_supplied_symbols(log) == "the compiler says something\n"


def test_symbols_of_libraries_that_torch_brings_along_are_not_missing() -> None:
    log = "b.cpp:(.text+0x2): warning: undefined reference to `cublasGemmEx'\n"
    assert diagnostics.link_errors(log) == ""
    assert "cudnnCreate is used" in diagnostics.link_errors(log.replace("cublasGemmEx", "cudnnCreate"))


def test_a_symbol_defined_twice_is_told() -> None:
    log = (
        "/usr/bin/ld: b.o: in function `f()':\nb.cpp:(.text+0x0): multiple definition of `f()'; a.o: first\n"
    )
    assert diagnostics.link_errors(log) == "error: f() is defined more than once"


def test_a_log_that_nobody_understands_is_shown_whole(source: Path) -> None:
    assert trim("Segmentation fault\n", source) == "Segmentation fault"


def test_a_compiler_that_was_stopped_is_told(source: Path) -> None:
    assert "stopped after 600 seconds" in trim("error: the compiler was stopped after 600 seconds\n", source)


def test_a_caret_that_counts_translated_text_is_left_out(source: Path) -> None:
    caret = " " * 300 + "^"
    log = f"FILE:6:301: error: no\n    6 |   undeclared(3);\n      | {caret}\n      | {caret[:-1]}|\n"
    assert trim(log, source) == "kernel.cu:6: error: no\n    6 |   undeclared(3);"


def test_a_long_line_is_cut_to_what_is_around_the_caret(source: Path) -> None:
    line = "a" * 200 + " wrong(3); " + "b" * 200
    text = trim(f"FILE:6:202: error: no\n    6 | {line}\n      | {' ' * 201}^~~~~\n", source)
    _, shown, marker = text.splitlines()
    assert max(map(len, (shown, marker))) < 140
    assert shown[marker.index("^") :].startswith("wrong(3)")
    assert shown.startswith("    6 | ...a") and shown.endswith("b...")


@pytest.mark.parametrize(
    "said",
    [
        "invalid conversion from ‘cudaStream_t’ {aka ‘CUstream_st*’} to ‘size_t’ {aka ‘long unsigned int’}",
        'argument of type "cudaStream_t" is incompatible with parameter of type "size_t"',
    ],
)
def test_a_stream_in_the_third_place_of_a_launch(source: Path, said: str) -> None:
    advice = "the third parameter of a launch is bytes of shared memory"
    assert advice in trim(f"FILE:6:3: error: {said}\n    6 | k<<<1, 2, stream>>>(p);\n", source)
    assert advice not in trim(f"FILE:6:3: error: {said}\n    6 | k(1, 2, stream);\n", source)
