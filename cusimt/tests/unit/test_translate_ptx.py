"""Inline PTX: what becomes C++, what is refused, and where. For values see test_surface_ptx.py."""

from __future__ import annotations

import re

import pytest

from cusimt.translate import TranslationError, translate

HEADER = '#include "simt/ptx/ptx.h"'
MULTICAST = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
WGMMA = 'asm volatile("wgmma.fence.sync.aligned;" ::: "memory")'


def kernel(statement: str) -> str:
    return f"__global__ void k(int* x, float f, unsigned long l) {{\n{statement}\n}}"


def lines(source: str) -> list[str]:
    return translate(source, "k.cu").split("\n")


def test_a_statement_becomes_an_expression_on_its_line() -> None:
    first, name, *code = lines(kernel('asm("mov.u32 %0, %%laneid;"\n: "=r"(x[0]))\n;'))
    assert (first, name) == (HEADER, '#line 1 "k.cu"')
    assert code[1].startswith("(void)({ uint32_t simt_0 = 0; ")
    assert "simt_lane()" in code[1]
    assert code[1].endswith("::simt::ptx::give(x[0], simt_0); })")
    assert code[2:] == ["", ";", "}"]


def test_braces_are_scopes() -> None:
    twice = "{ .reg .b32 t; mov.u32 t, %1; } { .reg .b64 t; mov.u64 t, %2; }add.u32 %0, %1, 1;"
    code = lines(kernel(f'asm("{twice}" : "=r"(x[0]) : "r"(x[1]), "l"(l));'))[3]
    assert re.search(r"{ uint32_t simt_t = 0; [^{}]*} { uint64_t simt_t = 0; [^{}]*} ::simt::ptx::put", code)


def test_a_source_without_ptx_includes_nothing() -> None:
    assert lines('void pause() { asm volatile("pause" ::: "memory"); }')[0] == '#line 1 "k.cu"'


@pytest.mark.parametrize(
    ("statement", "piece"),
    [
        ('asm("bar.sync 0;")', "__syncthreads();"),
        ('asm volatile("membar.gl;")', "__threadfence();"),
        ('asm("prefetch.global.L2 [%0];" :: "l"(x))', "= ::simt::ptx::as<uint64_t>(x);"),
        (
            'asm("ld.global.v2.u32 {%0, %1}, [%2 + 8];" : "=r"(x[0]), "=r"(x[1]) : "l"(x))',
            "load<uint32_t, 2, false>",
        ),
        ('asm("st.volatile.global.s32 [%0], %1;" :: "l"(x), "r"(1))', "store<int32_t, 1, true>"),
        (
            'asm("{ .reg .f32 t; mul.f32 t, %1, 0f40000000; mov.f32 %0, t; }" : "=f"(f) : "f"(f))',
            "float simt_t = 0;",
        ),
        (
            'asm("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "l"(l), "l"(x), "r"(0))',
            "::simt::ptx::copy(",
        ),
        ('asm("trap;")', "__trap();"),
        ('asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(x[0]))', "::simt::ptx::as<uint32_t>(0u)"),
        ('asm("mov.u32 %0, %clusterid.y;" : "=r"(x[0]))', "::simt::ptx::as<uint32_t>(blockIdx.y)"),
        (
            'asm("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %1}];" :: "l"(x), "r"(0))',
            "as<uint32_t>(0); ; })",
        ),
        (
            'asm("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1;")',
            "simt_bulk_wait(::simt::ptx::constant<uint32_t>(1ll), 1);",
        ),
        ('asm("fence.mbarrier_init.release.cluster;")', "{ ; }"),
        (
            'asm("{ again: bra.uni again; }")',
            "(void)({ __label__ simt_to_again; { simt_to_again: ; goto simt_to_again; } })",
        ),
        (
            'asm("mbarrier.inval.b64 [%0];" :: "l"(x))',
            "simt_phases_end(::simt::ptx::barrier_object(::simt::ptx::generic(",
        ),
        (
            'asm("ld.global.u32 %0, [%1];" : "=r"(x[0]) : POINTER(x))',
            "::simt::ptx::constrained<(POINTER)[0]>::type simt_1 = ",
        ),
        (
            '__asm__ __volatile__ (R"(add.u32 %0, %1, -1;)" : "=r"(x[0]) : "r"(x[1]))',
            "constant<uint32_t>(-1ll)",
        ),
    ],
)
def test_instructions(statement: str, piece: str) -> None:
    assert piece in lines(kernel(f"{statement};"))[3]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned"),
        ("add.u32 %0, %1, %2; tcgen05.alloc.x %0, 3;", "tcgen05.alloc.x"),
        ("barrier.cluster.arrive.aligned;", "barrier.cluster.arrive.aligned"),
        ("bra done;", "label done"),
        ("here: add.u32 %0, %1, %2; { here: add.u32 %0, %1, %2; }", "label here"),
        ("cp.async.bulk.wait_group.write 0;", "cp.async.bulk.wait_group.write"),
        (
            "cp.async.bulk.shared::cta.global.bulk_group [%0], [%1], %2;",
            "cp.async.bulk.shared::cta.global.bulk_group",
        ),
        (
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1}], [%2];",
            "[%0, {%1}]",
        ),
        (
            "cp.async.bulk.tensor.6d.global.shared::cta.bulk_group [%0, {%1}], [%2];",
            "cp.async.bulk.tensor.6d.global.shared::cta.bulk_group",
        ),
        (f"{MULTICAST} [%0], [%1], 16, [%2], %1;", MULTICAST),
        ("mbarrier.arrive.expect_tx.shared.b32 _, [%1], %2;", "mbarrier.arrive.expect_tx.shared.b32"),
        ("mbarrier.arrive.sometimes.b64 _, [%1];", "mbarrier.arrive.sometimes.b64"),
        ("{ add.u32 %0, %1, %2;", "{ add.u32 %0, %1, %2;"),
        ("add.u32 %0, %1, %2; } {", "add.u32 %0, %1, %2; } {"),
        ("mov.u32 %0, %%envreg0;", "%envreg0"),
        ("mad.hi.sat.s32 %0, %1, %2, %2;", "mad.hi.sat.s32"),
        ("cvt.sat.f32.s32 %0, %1;", "cvt.sat.f32.s32"),
        ("atom.global.add.b128 %0, [%1], %2;", "atom.global.add.b128"),
        ("ld.relaxed.acquire.u32 %0, [%1];", "ld.relaxed.acquire.u32"),
        ("ld.param.u32 %0, [%1];", "ld.param.u32"),
    ],
)
def test_an_instruction_without_a_meaning_is_named(text: str, named: str) -> None:
    with pytest.raises(TranslationError) as refusal:
        lines(kernel(f'asm("{text}" : "=r"(x[0]) : "r"(x[1]), "r"(x[2]));'))
    assert refusal.value.line == 2
    assert refusal.value.message == f"inline PTX (asm): {named}"


@pytest.mark.parametrize(
    "source",
    [
        f"#define FENCE() {WGMMA}",
        f"__device__ void f() {{ {WGMMA}; }}",
        kernel(f"#ifdef HOPPER\n{WGMMA};\n#endif"),
        kernel(f"#if defined(A) || B > 2\nx[0] = 1;\n#else\n{WGMMA};\n#endif"),
    ],
)
def test_what_may_never_be_used_is_refused_by_the_compiler(source: str) -> None:
    translated = "\n".join(lines(source))
    assert '__attribute__((error("inline PTX (asm): wgmma.fence.sync.aligned.' in translated
    assert "asm volatile" not in translated


def test_the_condition_around_a_whole_header_decides_nothing() -> None:
    with pytest.raises(TranslationError):
        lines(f"#ifndef K_CUH\n#define K_CUH\n{kernel(WGMMA + ';')}\n#endif")
