"""Copies that the compiler writes for a class, told from those that its author wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from cusimt.records import source_lines
from cusimt.records.implicit_members import is_implicit_copy
from cusimt.records.source_lines import Frame

_CLASSES = """\
struct Pair { float first, second; };
template <class T>
struct alignas(8)
    Split
{
    T first, second;
};
struct Own {
    float a;
    __device__ Own(const Own& other) {
        a = other.a;
    }
};
class Derived final
    : public Pair {
    float more[3];
};
typedef struct { float x[3]; } Unnamed;
struct Outer { struct Inner { float x[9]; } inner; };
__global__ void kernel(struct Pair* pairs) {
    pairs[0] = pairs[1];
}
""".splitlines()


@pytest.mark.parametrize(
    ("function", "line"),
    [
        ("Pair::Pair(Pair const&)", 1),
        ("Pair::operator=(Pair const&)", 1),
        ("(anonymous namespace)::Pair::operator=((anonymous namespace)::Pair&&)", 1),
        ("Split<N<2>, int>::Split(Split<N<2>, int> const&)", 4),
        ("Own::operator=(Own const&)", 8),
        ("Derived::Derived(Derived const&)", 14),
        ("Unnamed::Unnamed(Unnamed const&)", 18),
        ("Outer::operator=(Outer const&)", 19),
        ("Outer::Inner::Inner(Outer::Inner const&)", 19),
        ("Pair", 1),  # of a class without a name for the linker
        ("operator=", 4),
    ],
)
def test_written_by_the_compiler(function: str, line: int) -> None:
    assert is_implicit_copy(function, line, _CLASSES)


@pytest.mark.parametrize(
    ("function", "line"),
    [
        ("Own::Own(Own const&)", 10),
        ("Own::Own(Own const&)", 11),
        ("Own", 11),
        ("operator=", 11),
        ("kernel(Pair*)", 20),
        ("kernel(Pair*)", 21),
        ("Pair::Pair(float)", 1),
        ("Pair::Pair(Pair const&)", 0),
        ("Pair::Pair(Pair const&)", 100),
        ("", 1),
    ],
)
def test_written_by_an_author(function: str, line: int) -> None:
    assert not is_implicit_copy(function, line, _CLASSES)


def test_a_site_in_an_implicit_copy_is_the_line_that_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kernel.cu"
    file.write_text("\n".join(_CLASSES))
    copy = Frame(str(file), 1, function="Pair::operator=(Pair const&)")
    kernel, caller = Frame(str(file), 21, function="kernel(Pair*)"), Frame(str(file), 20)
    sites = {1: [copy, kernel, caller], 2: [kernel, copy, caller], 3: [copy]}
    monkeypatch.setattr(source_lines, "_addr2line", lambda module, offsets: sites)

    found = source_lines.frames_of([("a.so", site) for site in sites], [tmp_path])

    assert [found["a.so", site].line for site in sites] == [21, 21, 1]
    assert [[each.line for each in found["a.so", site].callers] for site in sites] == [[20], [20], []]
