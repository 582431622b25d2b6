"""The translator: objects in memory that calls take and return by value."""

from __future__ import annotations

import re

import pytest

from cusimt.compiler.generated_names import generated_names
from cusimt.translate import translate

_DECLARED = """\
struct Pair { float first, second; };
using Reference = Pair&;
namespace inner { __device__ Pair scaled(Pair pair, float by) { return pair; } }
template <class T> __device__ T merge(T one, const T another, int lanes = 32);
template <class T, int n> __device__ T of_type(T one);
__device__ Pair both(const Pair& one, Pair two);
__device__ float sum(float one, float two);
__device__ Pair first_of(Pair pair), *nowhere(Pair pair);
__device__ void keep(Pair pair);
__device__ Pair either(Pair pair);
__device__ Pair either(Pair& pair, int which);
__device__ float hidden(Reference pair, typename T::reference other);
__device__ Pair passed_on(Pair pair);
template <class T> struct Box { T values[2]; __device__ Pair seen(int which) const; int count() const; };
template <class T> __device__ Box<T> boxed(T value);
__device__ Pair operator+(const Pair& one, const Pair& other);
__device__ bool operator<(const Pair& one, const Pair& other);
__device__ Pair& operator%=(Pair& one, const Pair& other);
"""
_BEHIND = """
void takes(int (*function)(Pair)) { takes(passed_on); }
"""


def statement(text: str, others: tuple[str, ...] = (), declared: str = _DECLARED) -> str:
    """`text` translated as a statement of a kernel."""
    source = f"{declared}__global__ void k(Pair* a, Pair* b) {{\n{text}\n}}{_BEHIND}"
    translated = translate(source, "k.cu", others=others).split("\n")
    assert len(translated) == source.count("\n") + 2
    return translated[declared.count("\n") + 2]


@pytest.mark.parametrize(
    "marked",
    [
        "keep(<<a[i]>>);",
        "keep(<<*a>>);",
        "keep(<<*reinterpret_cast<const Pair*>(words + i)>>);",
        "keep(<<a[i].inner[3].pair>>);",
        "keep(<<of(i)->pair>>);",
        "keep(<<(a[i])>>);",
        "auto p = merge(<<i < n ? a[i] : none>>, <<b[i]>>);",
        "return merge<Pair>(none, <<i < n && f(i, 2) ? none : b[i]>>);",
        "auto p = merge(<<a[i]>>, merge(<<a[j]>>, none), 16);",
        "auto p = both(a[i], <<b[i]>>);",
        "auto p = inner::scaled(<<a[i]>>, f[i]);",
        "auto p = first_of(<<a[int(sum(b[i].first, 2))]>>);",
        "__shared__ Pair best, worst[2]; keep(<<best>>);",
        "const Pair& best = a[i]; keep(<<best>>); keep(<<best.inner>>);",
        "float x = 2 * first_of(<<a[i]>>).first; bool b = x > first_of(<<a[i]>>).first && *of(1);",
    ],
)
def test_a_call_takes_a_copy_of_what_is_in_memory(marked: str) -> None:
    """Copied is what << and >> enclose."""
    assert statement(re.sub("<<|>>", "", marked)) == re.sub("<<(.*?)>>", r"::simt::handed(\1)", marked)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a[i] = first_of(none);", "a[i] = ::simt::handed_back(first_of(none));"),
        ("*a = inner::scaled(none, 2);", "*a = ::simt::handed_back(inner::scaled(none, 2));"),
        ("if (i) a->p = merge<Pair>(x, y);", "if (i) a->p = ::simt::handed_back(merge<Pair>(x, y));"),
        ("a[i] = first_of(b[i]);", "a[i] = ::simt::handed_back(first_of(::simt::handed(b[i])));"),
        ("a[i] = boxed(3);", "a[i] = ::simt::handed_back(boxed(3));"),  # its type ends with a >
        ("a[i] = x + y;", "a[i] = ::simt::handed_back(x + y);"),
        ("a[i] = (x + y);", "a[i] = ::simt::handed_back((x + y));"),
        ("if (i) { *a = +x; }", "if (i) { *a = ::simt::handed_back(+x); }"),
        ("a->p = box.seen(1);", "a->p = ::simt::handed_back(box.seen(1));"),
        ("a->p = p->box.seen(1);", "a->p = ::simt::handed_back(p->box.seen(1));"),
        ("a[i] = i ? none : first_of(none);", "a[i] = ::simt::handed_back(i ? none : first_of(none));"),
    ],
)
def test_a_result_is_assigned_to_where_it_belongs(text: str, expected: str) -> None:
    assert statement(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "keep(pair);",  # of the thread's own
        "keep(pair.inner);",
        "keep(Pair{1, 2}); keep({1, 2}); keep(f(a[i]));",
        "float x = sum(a[i].first, b[i].first);",
        "auto p = a[i] = first_of(pair), q = pair;",
        "Pair p = first_of(pair); p = first_of(pair);",
        "a[i].first = sum(1, 2);",
        "keep(a[i] + b[i]); keep(a[i] = b[i]); keep(-*p);",
        "either(a[i]); hidden(a[i], b[i]);",  # one of them takes a reference
        "of_type<Pair&, 3>(a[i]);",
        "object.keep(a[i]); object->keep(a[i]); outer::scaled(a[i], 2); std::merge(a[i], b[i]);",
        "keep(a[i], b[i]);",  # another function's
        "passed_on(a[i]);",  # also a name for something else
        "unknown(a[i]); operator+(a[i], b[i]);",
        "Pair keep(a[i]);",  # a variable
        "a[i] = box.count(); a[i] = x < y; a[i] = x % y; a[i] = x - y;",  # no object, or no operator here
        "a[i] += x + y; pair = x + y; Pair p = x + y; Pair& p = *q = x + y, r; a[i] = {x + y};",
        "a[i] == x + y; a[i] = [](Pair x) { return x + x; }; for (a[i] = x + y; ;) {} f(a[i] = x + y);",
    ],
)
def test_other_calls_stay(text: str) -> None:
    assert statement(text) == text


def test_host_code_stays() -> None:
    source = f"{_DECLARED}void host(Pair* a) {{ *a = first_of(a[1]); }}"
    assert "simt::" not in translate(source, "k.cu")


def test_code_for_both_passes_objects_over_too() -> None:
    source = f"{_DECLARED}__host__ __device__ void both_call(Pair* a) {{ keep(a[1]); }}"
    assert "keep(::simt::handed(a[1]))" in translate(source, "k.cu")


def test_functions_of_the_programs_other_files_count() -> None:
    header = "#pragma once\n__device__ void elsewhere(Pair pair);\n__device__ void twice(Pair pair);\n"
    another = "template <class T> struct alignas(8) Box : Base<(1)> { void twice(Pair& pair) const { } };"
    assert statement("elsewhere(a[i]);") == "elsewhere(a[i]);"
    assert statement("elsewhere(a[i]);", (header,)) == "elsewhere(::simt::handed(a[i]));"
    assert statement("twice(a[i]);", (header, another)) == "twice(a[i]);"
    within = "template <class T> int f(Pair* p) noexcept { return g() > twice(*p); }"
    assert statement("twice(a[i]);", (header, within)) == "twice(::simt::handed(a[i]));"


def test_what_another_pass_replaces_stays() -> None:
    text = 'asm volatile("mov.f32 %0, %1;" : "=f"(x) : "f"(sum_of(a[i])));'
    source = f"{_DECLARED}__device__ float sum_of(Pair pair);\n__device__ void f(Pair* a) {{ {text} }}"
    assert "handed" not in translate(source, "k.cu")


def test_names_that_translation_puts_around_objects_are_known_as_generated() -> None:
    names = set(re.findall(r"simt::(\w+)", statement("a[i] = first_of(b[i]);")))
    assert names == {"handed", "handed_back"} <= generated_names()
