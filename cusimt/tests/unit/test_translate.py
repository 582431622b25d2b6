"""The translator: launches, shared memory, device variables (goldens by hand), and what it refuses."""

from __future__ import annotations

import random
import re
import subprocess

import pytest

from cusimt.compiler.generated_names import generated_names
from cusimt.support.toolchain import host_compiler
from cusimt.translate import TranslationError, translate
from cusimt.translate.lexer import Kind, scan


def body(source: str) -> str:
    """The translation without its first line, which must be the #line, and without the list of variables."""
    first, _, rest = translate(source, "k.cu").partition("\n")
    assert first == '#line 1 "k.cu"'
    rest = re.sub(r'\nSIMT_DEVICE_VARIABLES\(".*"\)\n\Z', "", rest)  # below the last line
    assert rest.count("\n") == source.count("\n")
    return rest


def launch(kernel: str, configuration: str, arguments: str = "", line: int | str = 1) -> str:
    """What the launch of a named kernel becomes."""
    return (
        f"(::simt::launch_named({pointer(kernel)}, "
        f"[&](auto... simt_p) SIMT_HOST {{ return {kernel}(simt_p...); }}, "
        f"::simt::site{{SIMT_TEXT({kernel}), __FILE__, {line}}}, "
        f"::simt::configuration({configuration})).with({arguments}))"
    )


def pointer(kernel: str) -> str:
    """What asks whether the kernel is one function, and which."""
    call = f"simt_f({kernel})"
    return f"[&](auto simt_f) {{ if constexpr (requires {{ {call}; }}) return {call}; else return 0; }}"


# ---- calls of member templates ---------------------------------------------------------------------------

_MEMBERS = """
template <class T> struct Cast {
    template <int n> __device__ static T run(T x);
    template <int n, bool b = n < 3> __device__ T load(int x) const;
    int count;
};
"""


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("reader.load<n>(x);", "reader.template load<n>(x);"),
        ("y = pointer->load<4, true>(x);", "y = pointer->template load<4, true>(x);"),
        ("Cast<T>::run<n>(x);", "Cast<T>::template run<n>(x);"),
        ("return a::b::Cast<T, 3>::run<n>(x);", "return a::b::Cast<T, 3>::template run<n>(x);"),
        (
            "f(Cast<T>::run<Cast<T>::run<n>(x)>(y));",
            "f(Cast<T>::template run<Cast<T>::template run<n>(x)>(y));",
        ),
    ],
)
def test_calls_of_member_templates_get_their_keyword(statement: str, expected: str) -> None:
    assert f"{{ {expected} }}" in translate(f"{_MEMBERS}void f() {{ {statement} }}", "f.cu")


def test_calls_of_member_templates_among_the_arguments_of_a_launch() -> None:
    text = translate(f"{_MEMBERS}void f() {{ k<<<reader.load<n>(x), 2>>>(reader.load<m>(x)); }}", "f.cu")
    assert "template load<n>(x)" in text and "template load<m>(x)" in text


@pytest.mark.parametrize(
    "code",
    [
        "void f() { reader.template load<n>(x); }",
        "void f() { Cast<T>::template run<n>(x); }",
        "void f() { if (a.count < n && m > (k)) g(); }",
        "void f() { if (a.load < n && m > (k)) g(); }",  # whatever it is there
        "void f() { if (a.load < n) g(); }",
        "void f() { load<n>(x); ns::load<n>(x); }",
        "void f() { reader.other<n>(x); }",
        "template <> __device__ int Cast<int>::run<4>(int x) { return x; }",
        "template __device__ int* Cast<int*>::run<4>(int* x);",
    ],
)
def test_what_is_no_call_of_a_member_template_stays(code: str) -> None:
    assert code in translate(_MEMBERS + code, "f.cu")


def test_a_member_template_of_another_source_counts() -> None:
    code = "__device__ void f() { reader.load<n>(x); }"
    assert code in translate(code, "f.cu")
    assert "reader.template load<n>(x)" in translate(code, "f.cu", others=[_MEMBERS])


# ---- aliases -------------------------------------------------------------------------------------------


def test_an_alias_of_its_own_template_asks_for_the_template_where_the_class_takes_no_note() -> None:
    source = "struct S { using A = A<int,\n 2>; };"
    assert body(source) == "struct S { using A = ::simt::parameter_of<void(A<int,\n 2>*)>; };"


@pytest.mark.parametrize(
    "source", ["using A = B<A>;", "using A = A<2>::type;", "using A::A;", "using A = n::A<2>;"]
)
def test_other_aliases_stay(source: str) -> None:
    assert body(source) == source


# ---- launches ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "configuration", "arguments"),
    [
        ("k", "1, 2", ""),
        ("k", "grid, block, shared, stream", "a, b"),
        ("k<T, 3>", "(n + 255) / 256, 256", "a, n"),
        ("ns::k<T>", "dim3(1, 2), dim3(3)", "a"),
        ("::ns::k", "1, 1", "a"),
        ("ns::k<A<B<int>>>", "1, 1", "a"),
        ("k", "1, 1", "f<int, 3>(x), y > z ? 1 : 2"),
        ("k", "f<a<b<int>>>(n), 256", "x"),
        ("k", "n < 4 ? 1 : 2, 256", "x"),
        ("k", "n > 4 ? 1 : 2, 256", "x"),
        ("k", "a->b, c[1 > 0]", "x"),
        ("k", "{1, 2}, {3}", "x"),
        ("k", "[&] { return n >> 2; }(), 256", "x"),
        ("k", "g, b, n * sizeof(T<U<int>>)", "x"),
        ("k", "1, 1", "arguments..."),
        ("k<(1 > 2)>", "1, 1", "a"),
        ("k", "1, 1", 'R"(<<<)", ">>>", \'<\''),
    ],
)
def test_launches_of_named_kernels(kernel: str, configuration: str, arguments: str) -> None:
    source = f"void f() {{ {kernel}<<<{configuration}>>>({arguments}); }}\n"
    assert body(source) == f"void f() {{ {launch(kernel, configuration, arguments)}; }}\n"


@pytest.mark.parametrize("opener", ["<<<", "<< <", "<<\t<"])
@pytest.mark.parametrize("closer", [">>>", ">> >", ">> /**/ >"])
def test_brackets_of_a_launch_that_an_editor_took_apart(opener: str, closer: str) -> None:
    source = f"void f() {{ k<A<B>>{opener}n >> 2, 3{closer}(a); }}\n"
    assert body(source) == f"void f() {{ {launch('k<A<B>>', 'n >> 2, 3', 'a')}; }}\n"


def test_a_launch_keeps_its_lines() -> None:
    source = "\nk<T>  // which\n  <<<g,\n     b>>> /* with */\n    (a,\n     b);\n"
    assert body(source) == (
        f"\n(::simt::launch_named({pointer('k<T>')}, [&](auto... simt_p) SIMT_HOST {{ return k<T>  // which\n"
        "  (simt_p...); }, ::simt::site{SIMT_TEXT(k<T>), __FILE__, 3}, ::simt::configuration(g,\n"
        "     b) /* with */\n"
        "    ).with(a,\n"
        "     b));\n"
    )


@pytest.mark.parametrize(
    "kernel", ["table[i]", "pick(n)", "(flag ? a : b)", "x.kernel", "this->kernel", "(*pointer)", "f<int>(3)"]
)
def test_a_kernel_that_is_an_expression_is_evaluated_on_the_host(kernel: str) -> None:
    source = f"void f() {{ {kernel}<<<1, 2>>>(a, 0); }}\n"
    site = f"::simt::site{{SIMT_TEXT({kernel}), __FILE__, 1}}"
    launched = f"(::simt::launch_pointer({kernel}, {site}, ::simt::configuration(1, 2), a, 0))"
    assert body(source) == f"void f() {{ {launched}; }}\n"


@pytest.mark.parametrize(
    ("before", "kernel"),
    [
        ("if (x) ", "k"),
        ("else ", "k"),
        ("return ", "::ns::k"),
        ("(void)", "k"),
        ("label: ", "k"),
        ("for (;;) ", "k<int>"),
        ("do ", "k"),
        ("a < b, ", "k"),
    ],
)
def test_where_the_kernel_begins(before: str, kernel: str) -> None:
    assert body(f"{{ {before}{kernel}<<<1, 2>>>(a); }}") == f"{{ {before}{launch(kernel, '1, 2', 'a')}; }}"


def test_a_null_pointer_goes_into_the_call() -> None:
    assert body("k<<<1, 2>>>(a, 0, NULL);") == (
        f"(::simt::launch_named({pointer('k')}, [&](auto simt_p0, auto, auto) SIMT_HOST "
        "{ return k(simt_p0, 0, NULL); }, ::simt::site{SIMT_TEXT(k), __FILE__, 1}, "
        "::simt::configuration(1, 2)).with(a, 0, NULL));"
    )


def test_beside_a_braced_list_all_that_has_no_type_goes_into_the_call() -> None:
    assert body("k<<<1, 2>>>(a, 0, NULL, {n, {1}}, b);") == (
        "(::simt::launch([&](auto simt_p0, auto, auto, auto, auto simt_p4) SIMT_HOST "
        "{ return k(simt_p0, 0, NULL, {n, {1}}, simt_p4); }, ::simt::site{SIMT_TEXT(k), __FILE__, 1}, "
        "::simt::configuration(1, 2), a, 0, NULL, 0, b));"
    )


def test_a_braced_argument_over_lines() -> None:
    assert body("k<<<1, 2>>>({n,\n  m},\n b);").splitlines() == [
        "(::simt::launch([&](auto, auto simt_p1) SIMT_HOST { return k({n, m}, simt_p1); }, "
        "::simt::site{SIMT_TEXT(k), __FILE__, 1}, ::simt::configuration(1, 2), 0",
        ",",
        " b));",
    ]


def test_a_launch_inside_a_macro_argument_shows_the_macro_no_bare_comma() -> None:
    source = 'AT_DISPATCH_FLOATING_TYPES(t, "k", [&] { k<scalar_t><<<g, b>>>(p, n); });'
    expected = f'AT_DISPATCH_FLOATING_TYPES(t, "k", [&] {{ {launch("k<scalar_t>", "g, b", "p, n")}; }});'
    assert body(source) == expected
    depth, bare = 0, 0
    inside = expected[expected.index("{") + 1 : expected.rindex("}")]
    for character in inside:
        depth += (character in "([{") - (character in ")]}")
        bare += character == "," and depth == 0
    assert bare == 0


def test_a_launch_in_a_macro_body_takes_the_line_of_its_use() -> None:
    source = "#define RUN(K, ...) \\\n  K##_kernel<<<1, \\\n 2>>>(__VA_ARGS__, 0)\nint x;\n"
    assert body(source) == (
        "#define RUN(K, ...) \\\n"
        "  (::simt::launch_named("
        f"{pointer('K##_kernel')}, "
        "[&](auto... simt_p) SIMT_HOST { return K##_kernel(simt_p...); }, "
        "::simt::site{SIMT_TEXT(K##_kernel), __FILE__, __LINE__}, ::simt::configuration(1, \\\n"
        " 2)).with(__VA_ARGS__, 0))\nint x;\n"
    )


def test_a_null_pointer_that_stands_in_a_macro_body_goes_into_the_call() -> None:
    translated = body("#define RUN(x) k<<<1, 2>>>(x, 0, {})\n")
    assert "[&](auto simt_p0, auto, auto simt_p2) SIMT_HOST { return k(simt_p0, 0, simt_p2); }" in translated
    assert translated.endswith(").with(x, 0, {}))\n")


@pytest.mark.parametrize(
    "source",
    [
        "// k<<<1, 2>>>(a);\n",
        "/* k<<<1, 2>>>(a); */\n",
        'auto s = "k<<<1, 2>>>(a)";\n',
        'auto s = R"x(k<<<1, 2>>>(a)" )x";\n',
        "auto s = 'x'; int million = 1'000'000;\n",
        "#if 0\nk<<<1, 2>>>(a; don't\n#if 1\n#endif\n#endif\n",
        "#error k<<<1, 2>>>(a)\n",
        "// a comment goes on \\\nk<<<1, 2>>>(a)\n",
        "template <class T> bool operator<<<T>(X, Y);\n",
        "template <class T> bool operator<< <T>(X, Y);\n",
        "b = x << <:]() { return 1; }();\n",
        "A<B<C<int>>> x(3);\n",
        "x = a << b; y >>= 2; z = a >> b >> c;\n",
        "<<<<<<< HEAD\n",
        'extern "C" int f(); auto text = "unfinished\n',
        "int a<:3:> = <%1, 2%>; A<::B> b;\n",
        "__shared__ float tile[16][17];\n__attribute__((__noinline__)) void f();\n",
        "\\\n  \r\n\tint x;\r\n",
        "",
    ],
)
def test_what_is_no_launch_stays_as_it_is(source: str) -> None:
    assert body(source) == source


def test_the_other_branch_of_if_0_is_translated() -> None:
    source = "#if 0\nk<<<\n#else\nk<<<1, 2>>>(a);\n#endif\n"
    assert body(source) == f"#if 0\nk<<<\n#else\n{launch('k', '1, 2', 'a', line=4)};\n#endif\n"


def test_a_file_name_is_quoted() -> None:
    assert translate("", 'a"b\\c.cu') == '#line 1 "a\\"b\\\\c.cu"\n'


# ---- declarations --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "void f() { extern __shared__ float s[]; }",
            "void f() {   float (&s)[] = ::simt::dynamic_shared(); "
            "extern __thread SIMT_UNUSED float extern_shared_s[]; }",
        ),
        (
            "void f() { extern volatile __shared__ T t[][33]; }",
            "void f() {  volatile  T (&t)[][33] = ::simt::dynamic_shared(); "
            "extern __thread SIMT_UNUSED volatile T extern_shared_t[][33]; }",
        ),
        (
            "#define SHARED(T, n) extern __shared__ T n[]\n",
            "#define SHARED(T, n)   T (&n)[] = ::simt::dynamic_shared(); "
            "extern __thread SIMT_UNUSED T extern_shared_##n[]\n",
        ),
        ("extern __shared__ int s[];", 'extern __thread  int s[] __asm__("simt_dynamic_shared");'),
        (
            'namespace a::b { extern "C" { __shared__ extern int s[]; } }',
            'namespace a::b { extern "C" { extern __thread  int s[] __asm__("simt_dynamic_shared"); } }',
        ),
        ("__device__ int x;", "static SIMT_DEVICE_MEMORY int x;"),
        ("static __constant__ float c[3];", "static SIMT_CONSTANT_MEMORY float c[3];"),
        ("__device__ const float* p = 0;", "static SIMT_DEVICE_MEMORY const float* p = 0;"),
        ("__device__ const float c = 1;", "static __device__ const float c = 1;"),
        ("__constant__ std::array<float, 3> c;", "static SIMT_CONSTANT_MEMORY std::array<float, 3> c;"),
        ("__constant__ struct S s;", "static SIMT_CONSTANT_MEMORY struct S s;"),
        ("__constant__ struct { int n; } s;", "static SIMT_CONSTANT_MEMORY struct { int n; } s;"),
        (
            "__device__ struct S : T { const int n; } s[2];",
            "static SIMT_DEVICE_MEMORY struct S : T { const int n; } s[2];",
        ),
        ("__device__ enum class n::E e = n::E{};", "static SIMT_DEVICE_MEMORY enum class n::E e = n::E{};"),
        ("__device__ struct S f(int);", "static __device__ struct S f(int);"),
        ("__device__ const struct S s = {1};", "static __device__ const struct S s = {1};"),
        ("__device__ float f(int x = 3) { return x; }", "static __device__ float f(int x = 3) { return x; }"),
        ("auto g = [] __device__ (int i) { return i; };", "auto g = [] __device__ (int i) { return i; };"),
        ("__device__ bool operator==(A, B);", "__device__ bool operator==(A, B);"),
        ("struct A { __device__ A() : x{1} {} int x; };", "struct A { __device__ A() : x{1} {} int x; };"),
        ("template <class T> __device__ T zero;", "template <class T> static __device__ T zero;"),
        ("__noinline__ __device__ int f();", "__attribute__((noinline)) static __device__ int f();"),
        (
            "cudaLaunchCooperativeKernel((const void*)k, g, b, a);",
            "cudaLaunchCooperativeKernel(k, g, b, a);",
        ),
        (
            "cudaLaunchKernel(reinterpret_cast<void*>(k<T>), g, b, a);",
            "cudaLaunchKernel((k<T>), g, b, a);",
        ),
        (
            "__global__ void k(int); void* f = (void*)k; void* g(); void* h = (void*)g;",
            "__global__ void k(int); void* f = (void*)SIMT_ANNOUNCED(k); void* g(); void* h = (void*)g;",
        ),
        (
            "__global__ void k(int); auto f = reinterpret_cast<void*>(&n::k<T, (1 > 2)>);",
            "__global__ void k(int); auto f = reinterpret_cast<void*>(SIMT_ANNOUNCED(&n::k<T, (1 > 2)>));",
        ),
        (
            "__global__ void k(int);\n#define F(N) f = (void*)k<N>;",
            "__global__ void k(int);\n#define F(N) f = (void*)SIMT_ANNOUNCED(k<N>);",
        ),
        (
            "__global__ void k(int); auto f = cudaFuncSetCacheConfig((void*)k, c);",
            "__global__ void k(int); auto f = cudaFuncSetCacheConfig((void*)k, c);",
        ),
    ],
)
def test_declarations(source: str, expected: str) -> None:
    assert body(source) == expected


@pytest.mark.parametrize(
    "declaration",
    [
        "static __device__ int f();",
        "__host__ __device__ int f();",
        "__device__ __host__ int f();",
        "extern __device__ int f();\n__device__ int f() { return 1; }",
        "template <> __device__ int f<int>(int);",
        "template __device__ int f<int>(int);",
        "__device__ int S::f() { return 1; }",
        "struct S { __device__ int f(); };",
        "__device__ INLINE int f();",  # INLINE may hold a static of its own
        "INLINE __device__ int f();",
        "[[nodiscard]] __device__ int f();",
        "void g() { auto f = [=] __device__ (int i) { return i; }; }",
        "#define DEFINE(T) __device__ T f(T x) { return x; }",
    ],
)
def test_declarations_whose_linkage_stays(declaration: str) -> None:
    assert body(declaration) == declaration


@pytest.mark.parametrize(
    ("declaration", "linked"),
    [
        ("__device__ T f(T);", "static __device__ T f(T);"),
        (
            "template <class T> inline __device__ T f(T);",
            "template <class T> inline static __device__ T f(T);",
        ),
        ("__device__ std::pair<A<int>, B> f();", "static __device__ std::pair<A<int>, B> f();"),
        (
            "__device__ const unsigned int* __restrict__ f();",
            "static __device__ const unsigned int* __restrict__ f();",
        ),
        ("namespace n { __device__ float f(); }", "namespace n { static __device__ float f(); }"),
        (
            "__device__ int f();\n__device__ int f() {}",
            "static __device__ int f();\nstatic __device__ int f() {}",
        ),
        ("__device__ __align__(16) int x[4];", "static SIMT_DEVICE_MEMORY __align__(16) int x[4];"),
        ('extern "C" __device__ int f(void*);', " static __device__ int f(void*);"),
        ('extern "C" inline __device__ int f() {}', " inline static __device__ int f() {}"),
        ('extern "C" {\n__device__ int f();\n}', 'extern "C" {\nstatic __device__ int f();\n}'),
    ],
)
def test_device_code_belongs_to_its_file(declaration: str, linked: str) -> None:
    assert body(declaration) == linked


# ---- refusals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ('__global__ void k() {\n  asm volatile("mov.u32 %0;" : "=r"(x));\n}', 2, "inline PTX"),
        (
            '__global__ void k() {\n  asm volatile("wgmma.fence.sync.aligned;");\n}',
            2,
            "wgmma.fence.sync.aligned",
        ),
        ("cudaMipmappedArray_t t;", 1, "cudaMipmappedArray_t (mipmaps"),
        ("\n__device__ float f() { return tex2DLod<float>(t, 1, 2, 0); }", 2, "tex2DLod"),
        ("void f() { cudaMallocMipmappedArray(0, 0, {}, 1); }", 1, "cudaMallocMipmappedArray"),
        ("__global__ void __cluster_dims__(2) k();", 1, "__cluster_dims__"),
        ("__global__ void k() {\n\n  child<<<1, 2>>>(a);\n}", 3, "dynamic parallelism"),
        ("auto f = [=] __device__ (int i) { child<<<1, 2>>>(i); };", 1, "dynamic parallelism"),
        ("void f() {\n k<<<1, 2;\n}", 2, "not closed by >>>"),
        ("void f() { k<<<1, 2>>>; }", 1, "not closed by >>>"),
        ("void f() { k<<<>>>(a); }", 1, "no grid"),
        ("void f() { = <<<1, 2>>>(a); }", 1, "no kernel"),
        ("void f() { k<<<1, 2>>>(a; }", 1, "not closed by )"),
        ("__global__ void k() { __shared__ int x = 3; }", 1, "initial value"),
        ("__global__ void k() { extern __shared__ int x; }", 1, "not an array"),
        ("__global__ void k(int* p) {}\nvoid f() {\n  k(p);\n}", 3, "without a launch configuration"),
        ("namespace n { __global__ void k(); }\nvoid f() { n::k(); }", 2, "without a launch configuration"),
        ("static void h(int* p) {}\nvoid f() { h<<<1, 2>>>(p); }", 2, "h is launched but is not a kernel"),
    ],
)
def test_refusals_name_the_construct_and_its_line(source: str, line: int, says: str) -> None:
    with pytest.raises(TranslationError) as refused:
        translate(source, "k.cu")
    assert (refused.value.file, refused.value.line) == ("k.cu", line)
    assert says in refused.value.message
    assert str(refused.value).startswith(f"k.cu:{line}: ")


@pytest.mark.parametrize(
    "source",
    [
        'void pause() { asm volatile("pause" ::: "memory"); }',  # the host's own assembly
        '__global__ void k() { asm volatile("" ::: "memory"); }',
        "__global__ void k(int*);\nvoid k(int* p, int n) {}\nvoid f() { k(p, 3); }",  # an overload
        "__global__ void k(int*);\ntemplate __global__ void k<int>(int*);\n",
        '__host__ __device__ int f(int n) { asm volatile("" : "+r"(n)); return n; }',
        "struct texture { int x; };",
        "__global__ void k(int*);\nvoid f() { auto kernel = k; wrap(k)(p); }",
        "auto x = a.texture < 3;",
    ],
)
def test_what_only_looks_unsupported(source: str) -> None:
    assert body(source) == source


# ---- any input -----------------------------------------------------------------------------------------

PIECES = [
    *"(){}[]<>;,.:=+-*/&|!?#\\'\"\n\r\t @$",
    *[
        "<<<",
        ">>>",
        "::",
        "->",
        "//",
        "/*",
        "*/",
        "#define X ",
        "#if 0\n",
        "#endif\n",
        "\n#",
        "\\\n",
        "...",
        "##",
    ],
    *[
        "k",
        "T",
        "int",
        "0",
        "NULL",
        "1'000",
        "0x1p-3",
        '"s"',
        "'c'",
        'R"(',
        ')"',
        "<:",
        ":>",
        "<%",
        "%>",
        "%:",
    ],
    *["__global__", "__device__", "__shared__", "extern", "asm", "template", "operator", "namespace", "é"],
    *["k<<<1, 2>>>(a)", "k<a<b<c>>>", "extern __shared__ T s[];", "cudaLaunchKernel((void*)k"],
]


def test_random_sources_neither_crash_nor_lose_anything() -> None:
    rng = random.Random(20)
    translated = 0
    for _ in range(20_000):
        source = "".join(rng.choices(PIECES, k=rng.randrange(12)))
        assert "".join(source[t.start : t.end] for t in scan(source)) == source
        try:
            result = body(source)
        except TranslationError as refused:
            assert 1 <= refused.line <= source.count("\n") + 1
            continue
        translated += 1
        rewritten = ("<<<", "__shared__", "__device__", "__constant__", "__noinline__", "cudaLaunch")
        if not any(word in source for word in rewritten):
            assert result == source
    assert translated > 10_000


def test_tokens() -> None:
    source = 'a<:0:> u8R"(\n)" 1\'0.5e-3f x\\\ny \'q\' L"\\"" <::b> >>= -> ->*'
    tokens = [token.text for token in scan(source) if token.kind is not Kind.BLANK]
    raw = 'u8R"(\n)"'
    assert tokens == [
        *["a", "[", "0", "]", raw, "1'0.5e-3f", "x\\\ny", "'q'", 'L"\\""'],
        *["<", "::", "b", ">", ">>=", "->", "->*"],
    ]


def test_a_macro_may_stand_for_global() -> None:
    source = "KERNEL void k(int* p);\nvoid f() { k<<<1, 2>>>(p); }"
    assert body(source) == source.replace("k<<<1, 2>>>(p)", launch("k", "1, 2", "p", line=2))


def test_the_compiler_reports_errors_in_the_learners_lines() -> None:
    source = "\n\nint x = k<<<1,\n 2>>>(a);\nint y = missing;\n"
    compiler = host_compiler()
    command = [*compiler.command, "-fsyntax-only", "-x", "c++", "-"]
    translated = translate(source, "mine/k.cu").replace("::simt::launch", "int")
    done = subprocess.run(command, input=translated, capture_output=True, text=True, check=False)
    assert "mine/k.cu:5:9: error" in done.stderr


def test_launch_bounds_come_before_what_touches_the_brace() -> None:
    kernel = "__global__ void __launch_bounds__(256) k() {__shared__ alignas(16) int s[4]; }"
    assert "{ SIMT_LAUNCH_BOUNDS(256)alignas(16) __shared__" in translate(kernel, "k.cu")


# ---- loops that wait -----------------------------------------------------------------------------------


def goes_on(condition: str) -> str:
    return f"::simt::goes_on(({condition}) ? true : false)"


@pytest.mark.parametrize(
    ("loop", "condition"),
    [
        ("while (*p == 0) {}", "*p == 0"),
        ("while (f(1, 2)[0]);", "f(1, 2)[0]"),
        ("while ((seen = *p) == 0)\n    ;", "(seen = *p) == 0"),
        ("for (int i = 0; p[i] == 0; ++i) {}", "p[i] == 0"),
        ("do seen = *p; while (seen);", "seen"),
        ("do { if (a) b(); else c(); } while (*p);", "*p"),
    ],
)
def test_conditions_that_end_a_wait_are_marked(loop: str, condition: str) -> None:
    source = f"__device__ void f(volatile int* p) {{ {loop} }}"
    assert body(source) == "static " + source.replace(f"{condition})", goes_on(condition) + ")", 1).replace(
        f"{condition};", goes_on(condition) + ";", 1
    )


def test_both_conditions_of_nested_waits_are_marked() -> None:
    source = "__device__ void f(volatile int* p) { do { while (p[0]); if (p[1]) break; } while (p[2]); }"
    marked = source.replace("p[0]", goes_on("p[0]")).replace("p[2]", goes_on("p[2]"))
    assert body(source) == "static " + marked.replace("p[1]", "::simt::ends((p[1]) ? true : false)")


def test_waits_in_macros_are_marked() -> None:
    source = "#define WAIT(p) while (*(p)) {}\n__device__ int a;"
    assert goes_on("*(p)") in translate(source, "k.cu")


@pytest.mark.parametrize(
    "statement",
    [
        "while (*p) ++p[1];",
        "while (true) {}",
        "do { g(); } while (0);",
        "for (int each : all) {}",
        "for (;;) {}",
        "if (int found = *p) break;",
        "if (int found = *p; found) break;",
        "if (*p) return;",
        "if (*p) break, g();",
        "if constexpr (sizeof(int) == 4) break;",
    ],
)
def test_other_loops_and_conditions_stay(statement: str) -> None:
    source = f"__device__ void f(volatile int* p) {{ {statement} }}"
    assert body(source) == "static " + source


def test_a_source_without_device_code_keeps_its_loops() -> None:
    source = "void f(volatile int* p) { while (*p) {} }"
    assert body(source) == source


def test_names_that_translation_puts_into_loops_are_known_as_generated() -> None:
    """The grader refuses the simulator's names where a person wrote them."""
    loops = "while (*flag == 0) {} do { work(); } while (busy()); for (;;) { if (found()) break; }"
    written = body(f"__global__ void k() {{ {loops} }}")
    names = set(re.findall(r"simt::(\w+)", written))
    assert {"goes_on", "ends"} <= names <= generated_names()
