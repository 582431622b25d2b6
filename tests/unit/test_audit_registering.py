"""What a submission's compiled lines may do with the library that TORCH_LIBRARY hands them."""

from __future__ import annotations

import pytest

from cusimt.translate.lexer import Kind, scan
from grader.audit.registering import misuses

# What TORCH_LIBRARY(mine, m) becomes, behind two helpers of the submission's own.
HELPERS = (
    'namespace own { void helper(torch::Library& m) { m.def("q"); } }\n'
    "void more(torch::Library&, int k);\nvoid more(torch::Library& l, int k) { if (k) l.def(names[k]); }\n"
)
MACRO = (
    "static void TORCH_LIBRARY_init_mine(torch::Library&);"
    "static const torch::detail::TorchLibraryInit TORCH_LIBRARY_static_init_mine("
    'torch::Library::DEF, &TORCH_LIBRARY_init_mine, "mine", ::std::nullopt, "f", 1);'
    "void TORCH_LIBRARY_init_mine(torch::Library& m) "
)


def found(source: str) -> list[str]:
    tokens = [token for token in scan(source) if token.kind not in (Kind.BLANK, Kind.NEWLINE)]
    return [what for _, what in misuses(tokens)]


@pytest.mark.parametrize(
    "body",
    [
        'm.def("x");',
        'm.def("a").def("b"); if (x) m.impl("y", f); else m.impl("y", g);',
        "for (int i = 0; i < 3; ++i) m.def(names[i]);",
        "own::helper(m); more(m, 1);",
        'm.impl("x", [](const Tensor& a) { const int64_t m = a.size(0), k = 1; return a.view({m, k}); });',
        'm.impl("x", [](int64_t m, int64_t k) { return g(m, k) + m; }); m.def("z");',
        'for (auto m : values) f(m); m.def("z");',
        'm.impl("x", [](const Tensor& m) { return g(m); }); m.def("z");',
        'm.impl("x", [](Tensor &m, Tensor* k) mutable { return g(m, k); }); m.def("z");',
        'm.impl("x", [&](const std::vector<std::pair<int, T>>& m) -> R { return g(m); }); m.def("z");',
        'm.impl("x", [=](T k, const T m[], Tensor&& n) { return g(m); }); m.def("z");',
        'm.impl("x", [](auto&&... m) { return g(m...); }); m.def("z");',
        'm.impl("x", [](T& x) { auto [k, m] = sizes(x); return g(m); }); m.def("z");',
        'm.impl("x", [](T& x) { const auto& [m, k] = sizes(x); return g(m); }); m.def("z");',
        'm.impl("x", [](T& x) { for (const auto& m : x) g(m); const T& m = x; return g(m); });',
    ],
)
def test_a_library_is_called_and_handed_to_functions_that_name_it(body: str) -> None:
    assert found(f"{HELPERS}{MACRO}{{ {body} }}") == []


@pytest.mark.parametrize(
    "body",
    [
        "[](auto& l) {}(m);",
        "decltype(m) l(1);",
        "probe(m);",
        "elsewhere::probe(m);",
        "auto& l = m;",
        'auto& l = m.def("x");',
        'm.def("x"), probe;',
        'm.def("x") << probe;',
        'p = (P) m.def("x");',
        'f(m.def("x"));',
        "m.fallback(f);",
        "m.fallback;",
        "{ int64_t m = 1; } probe(m);",
        "if (int64_t m = 1) {} probe(m);",
        "x bitand m;",
        "probe & m;",
        "probe & m, x;",
        "(probe & m) = x;",
        "probe & m = x;",
        "f(probe & m);",
        "table[i](probe & m);",
        "table[i](probe & m); {}",
        "f(x)[i](probe * m, y);",
        "[](T k = m) { return k; };",
        "[](T& k = probe & m) { return k; };",
        "[](T& m) {}; probe(m);",
        "[x = probe & m](T k) {};",
        "[&m](A<&S::m, 3> k) { probe(m); };",
        "[&m](A<S::m> k, T S::m) { probe(m); };",
        "{ auto [m, k] = x; } probe(m);",
        "f(const_cast<T&>(m));",
        "return m;",
        "S s{m};",
        "for (auto& l : {m}) {}",
        "std::move(m);",
        "auto later = [&m] {};",
        "auto later = [&] { probe(m); };",
    ],
)
def test_nothing_deduces_its_class(body: str) -> None:
    assert "hands on the library `m`" in found(f"{HELPERS}{MACRO}{{ {body} }}")


@pytest.mark.parametrize(
    "code",
    [
        "using L = strip<torch::Library&>::type;",
        "P<decltype(&own::helper)>::type l(1);",
        "X<own::helper> x;",
        "template <void (*F)(torch::Library&)> struct S;",
        "std::function<void(torch::Library&)> f;",
        "struct S { torch::Library& l; };",
        "auto f = [](torch::Library& l) {};",
        "using R = void; using F = R(torch::Library&);",
        "template <class R> using F = R(torch::Library&);",
        "P<decltype(&TORCH_LIBRARY_init_mine)>::type l(1);",
        "torch::Library l(1);",
        "void (&again)(torch::Library&) = own::helper;",
        "namespace other { template <class T> void helper(T& l) { T mine(1); } }",
        "void f(std::vector<torch::Library*> l);",
    ],
)
def test_nothing_else_names_its_class_or_a_function_that_takes_it(code: str) -> None:
    assert found(f'{HELPERS}{MACRO}{{ m.def("x"); }}\n{code}') != []
