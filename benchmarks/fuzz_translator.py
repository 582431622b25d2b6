"""Feeds the translator what no person would write, and checks what it promises for every input.

Programs come from a small grammar of what the translator has to tell apart (launches in every form, raw
strings, comments, digraphs, macros, conditions, shared memory, assembly), are mutated, or are soup of their
tokens. Input number n of a seed is the same everywhere: `--only n` shows one.
"""

from __future__ import annotations

import random
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from cusimt.translate import TranslationError, translate
from cusimt.translate.lexer import scan
from cusimt.translate.rewrite import Rewrite

FILE = 'a "strange" \\name.cu'
PATIENCE = 20.0  # seconds that one input may take
HUGE_EVERY = 5000  # one input of so many is a fragment repeated

_EXPRESSIONS = (
    "1", "n", "(n + 255) / 256", "a > b ? a : b", "f<2>(n, 3)", "dim3(4, 2)", "{1, 2}", "x[i >> 1]", "n >> 3",
    "sizeof(std::vector<std::pair<int, int>>)", "[&](int i) { return i < n; }(3)", "p->q", "NULL", "0",
    "1'000",
    "nullptr", "a<b", "static_cast<size_t>(m)", 'R"(>>>)"[0]', "'>'", "N<(3 > 2)>::value", "-x", "&y", "*z",
)  # fmt: skip
_KERNELS = (
    "k", "ns::k", "k<T>", "k<float, 3>", "::k<(4 > 3)>", "k<std::array<int, 2>>", "(k)", "table[i]", "p->run",
    "pick(1)", "k##suffix", "X::template k<T>", "this->kernel", "k /* why */", "kernels.at(0)",
)  # fmt: skip
_DECLARATIONS = (
    "extern __shared__ float s[];", "extern __shared__ __align__(16) unsigned char raw<::>;",
    "template <class T> __device__ T* get() { extern __shared__ T memory[]; return memory; }",
    "__shared__ int tile[32][33], *p, q;", "__constant__ float c[4] = {1, 2};", "__device__ int counter;",
    "static __device__ __forceinline__ int f(int a) { return a; }", "__device__ __noinline__ void g();",
    "__global__ void k(int* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }", "namespace a::b {", "}",
    "template <int N = (3 > 2)> __global__ void __launch_bounds__(256, 2) k2(float (&x)[N]);",
    "struct S { __host__ __device__ S() {} __device__ int operator<<(int) const; };", "typedef int T<%3%>;",
    'asm volatile("add.s32 %0, %1, %2;" : "=r"(a) : "r"(b), "r"(c));',
    "cudaLaunchKernel((void*)k<int>, 1, 1, 0);",
    "cudaFuncSetAttribute(k<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);",
    "int a = b < c, d > (e);",
    "auto l = [=] __device__ (int i) { return i; };", "using V = std::vector<std::vector<int>>;",
    "x <<= 2; y >>= 1;",
)  # fmt: skip
_LINES = (
    "// k<<<1, 2>>>(x)", "// ends in an escaped line end \\\n   k<<<1, 2>>>(x);", "/* \" ' */",
    "/* k<<<1,\n2>>>(x) */",
    'const char* s = "k<<<1, 2>>>(x)";', 'const char* e = "\\"<<<\\\\";', "char c = '\\'';", "char d = '\"';",
    'auto r = R"cuda(k<<<1, 2>>>(x);\n" )" // )cuda";', 'auto t = u8R"(\\")";',
    "int big = 1'000'000, hex = 0xA'Bp-3;",
    "#include <cuda_runtime.h>", '#include "a.cuh"', "#pragma unroll", "%: define DIGRAPH <:",
    "??=define TRIGRAPH ??/",
    "#if 0\nk<<<don't>>>\n#endif", "#ifdef __CUDA_ARCH__", "#if __CUDA_ARCH__ >= 700 && defined(X)",
    "#elif !Y", "#else",
    "#endif", "#define RUN(k, ...) k<<<1, 2>>>(__VA_ARGS__)", "#define TWO \\\n  k<<<1, \\\n     2>>>(x)",
    "#define EMPTY",
    "#define HALF k<<<", "#define PASTE(a, b) a##b<<<1, 1>>>(#a)", "int na\\\nme;", "a\\ \nb",
    "int \u00fc = \u03c0;",
    "\udcff\udc80", "\x00\x0c\x0b", "#", "#define", "#define F(", "#define F(a", "#if", "", "  ",
)  # fmt: skip
_TOKENS = (
    *"<>()[]{};,:?&*#\\\"'/.=+-\n\r\t R", "<<<", ">>>", ">>", "<<", "<:", ":>", "<%", "%>", "%:", "//", "/*",
    "*/",
    'R"(', ')"', 'R"x(', ')x"', "\\\n", "\\\r\n", "::", "->", "...", "##", "#define M ", "#if 0\n",
    "#endif\n", "#if ",
    "extern ", "__shared__ ", "__device__ ", "__constant__ ", "__global__ ", "__noinline__ ", "template ",
    "typename ",
    "static ", "inline ", "operator", "asm(", "asm volatile(", "cudaLaunchKernel(", "(void*)", "k", "x", "0",
    "1'0",
    "struct ", "union ", "alignas(16) ", "__align__(8) ", "constexpr ", "__CUDA_ARCH__", "\ufeff", "\x00",
    "\udc80",
)  # fmt: skip


def source_of(seed: int, number: int) -> str:
    """Input `number` of `seed`."""
    choose = random.Random(seed * 1_000_000_007 + number)
    if number % HUGE_EVERY == HUGE_EVERY - 1:
        fragment = choose.choice(
            (_soup(choose, 3), choose.choice(_TOKENS), choose.choice(_LINES) + "\n", _launch(choose))
        )
        return _program(choose) + fragment * (100_000 // max(len(fragment), 1))
    kind = choose.random()
    if kind < 0.15:
        return _soup(choose, choose.randint(1, 60))
    source = _program(choose)
    return source if kind < 0.5 else _mutated(choose, source)


def _program(choose: random.Random) -> str:
    pieces = []
    for _ in range(choose.randint(1, 8)):
        kind = choose.random()
        if kind < 0.35:
            pieces.append(_launch(choose) + choose.choice((";", ", 0;", ";  // done")))
        else:
            pieces.append(choose.choice(_DECLARATIONS if kind < 0.65 else _LINES))
    return choose.choice(("\n", "\n", "\n", "\r\n", " ")).join(pieces) + choose.choice(("", "\n"))


def _launch(choose: random.Random) -> str:
    configuration = [choose.choice(_EXPRESSIONS) for _ in range(choose.randint(2, 4))]
    arguments = [choose.choice(_EXPRESSIONS) for _ in range(choose.randint(0, 3))]
    comma = choose.choice((", ", ",", ",\n    ", ", /* < */ "))
    opener, closer = choose.choice((("<<<", ">>>"), ("<<<", ">>>"), ("<< <", ">> >"), ("<<<\n", "\n>>>")))
    before = choose.choice(("", "", "return ", "if (x < y) ", "CHECK(", "auto f = [&] { ", "a ? b : "))
    behind = {"CHECK(": ")", "auto f = [&] { ": "; }"}.get(before, "")
    launch = f"{choose.choice(_KERNELS)}{opener}{comma.join(configuration)}{closer}({comma.join(arguments)})"
    return before + launch + behind


def _soup(choose: random.Random, count: int) -> str:
    return "".join(choose.choice(_TOKENS) for _ in range(count))


def _mutated(choose: random.Random, source: str) -> str:
    for _ in range(choose.randint(1, 6)):
        first, past = sorted(choose.randint(0, len(source)) for _ in range(2))
        past = min(past, first + 40)
        change = choose.randrange(5)
        if change == 0:
            source = source[:first] + source[past:]
        elif change == 1:
            source = source[:past] + source[first:]
        elif change == 2:
            source = source[:first] + choose.choice(_TOKENS) + source[first:]
        elif change == 3:
            source = source[:first] + choose.choice(_TOKENS) + source[past:]
        else:
            source = source[:first]
    return source


# ---- what is promised ----------------------------------------------------------------------------------


class Broken(Exception):
    """A promise that did not hold for an input."""


def check(source: str) -> bool:
    """Whether `source` was translated rather than refused. Raises Broken, or whatever the translator did."""
    tokens = scan(source)
    _require("".join(source[t.start : t.end] for t in tokens) == source, "the tokens are not the source")
    changed: set[int] = set()
    try:
        with _changed_lines(changed):
            translated = translate(source, FILE)
    except TranslationError as refused:
        _require(refused.file == FILE, "a refusal names another file")
        _require(1 <= refused.line <= source.count("\n") + 1, "a refusal names a line that is not there")
        return False
    head, found, body = translated.partition('#line 1 "a \\"strange\\" \\\\name.cu"\n')
    _require(bool(found) and head.count("\n") <= 1, "the first line does not name the file")
    body = re.sub(r'\nSIMT_DEVICE_VARIABLES\(".*"\)\n\Z', "", body)  # below the last line
    before, after = source.split("\n"), body.split("\n")
    _require(len(after) == len(before), "lines were added or lost")
    differing = {number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]}
    conditions = {number for number in differing if _CONDITION.search(before[number])}
    _require(differing <= changed | conditions, "a line was changed that no rule rewrites")
    return True


_CONDITION = re.compile(r"__CUDA_ARCH__|defined|\bif|#|%:|\\$|\?\?=")


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise Broken(sentence)


@contextmanager
def _changed_lines(lines: set[int]) -> Iterator[None]:
    """Put the numbers, from 0, of the lines that are rewritten into `lines`."""
    result = Rewrite.result

    def observed(self: Rewrite) -> str:
        for start, end, _ in self._changes:
            lines.update(range(self.line(start) - 1, self.line(end)))
        return result(self)

    Rewrite.result = observed  # type: ignore[method-assign]
    try:
        yield
    finally:
        Rewrite.result = result  # type: ignore[method-assign]


# ---- running -------------------------------------------------------------------------------------------


class _Hang(BaseException):
    """An input that takes longer than anybody's patience."""


def _give_up(number: int, frame: FrameType | None) -> None:
    raise _Hang


def fuzz(
    seed: int, numbers: Iterable[int], tell: Callable[[int], None] = lambda number: None
) -> tuple[Counter[str], dict[str, int]]:
    """How many inputs of each kind there were, and per failure the first input that shows it."""
    counts: Counter[str] = Counter()
    failures: dict[str, int] = {}
    before = signal.signal(signal.SIGALRM, _give_up)
    try:
        for number in numbers:
            tell(number)
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
            try:
                counts["translated" if check(source_of(seed, number)) else "refused"] += 1
            except (Exception, _Hang) as error:
                counts["failed"] += 1
                failures.setdefault(_described(error), number)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    return counts, failures


def _described(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "translate" in Path(frame.filename).parts] or frames
    place = "" if isinstance(error, Broken) else f" at {Path(inside[-1].filename).name}:{inside[-1].lineno}"
    return f"{type(error).__name__.strip('_')}: {str(error)[:80]}{place}"


def main() -> None:
    import record

    parser = record.arguments(__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="how many (20000)")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--only", type=int, help="show this input, and what becomes of it")
    options = parser.parse_args()
    if options.only is not None:
        source = source_of(options.seed, options.only)
        print(source.encode(errors="surrogateescape").decode(errors="backslashreplace"), "\n", "-" * 80)
        print("translated" if check(source) else "refused")
        return
    start = time.monotonic()
    counts, failures = fuzz(options.seed, range(options.inputs), _progress)
    seconds = time.monotonic() - start
    rows = [(kind, str(count)) for kind, count in sorted(counts.items())]
    text = record.table(("what became of it", "inputs"), rows)
    text += f"\n\nseed {options.seed}, {options.inputs} inputs in {seconds:.0f} s on one core; "
    text += f"{len(failures)} kinds of failure\n"
    text += "".join(f"\n- input {number}: {failure}" for failure, number in failures.items())
    record.report("Translator under fuzzing", text, options.record)
    sys.exit(bool(failures))


def _progress(number: int) -> None:
    if number % 10_000 == 0 and sys.stderr.isatty():
        print(number, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
