"""Textures and surfaces against the formulas of the CUDA programming guide, written out in numpy."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from cusimt.tests.surface_program import ON_GPU, Array, LaunchFailed, Program, findings, program
from cusimt.translate import TranslationError, translate

WRAP, CLAMP, MIRROR, BORDER = range(4)
POINT, LINEAR = range(2)
ZERO, CLAMPED, TRAP = range(3)
BORDER_COLOUR = 9


@pytest.fixture(scope="module")
def textures() -> Program:
    return program("textures", checked=not ON_GPU)


def kinds() -> list[str]:
    return [json.loads(line)["kind"] for line in findings().splitlines()]


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).uniform(-4, 4, shape).astype(np.float32)


def places(count: int, sizes: tuple[int, ...], normalized: bool) -> Array:
    """Positions x, y, z within and around an image of `sizes` (x first)."""
    sides = np.ones(3)
    sides[: len(sizes)] = sizes
    drawn = np.random.default_rng(count).uniform(-1.2, 2.2, (count, 3)) * sides
    drawn = np.floor(drawn * 64) / 64  # so that the weights have no more than eight bits
    return (drawn / sides if normalized else drawn).astype(np.float32)


def led(index: int, size: int, mode: int, normalized: bool) -> int | None:
    if mode == BORDER:
        return index if 0 <= index < size else None
    if mode == CLAMP or not normalized:
        return min(max(index, 0), size - 1)
    if mode == WRAP:
        return index % size
    return min(index % (2 * size), 2 * size - 1 - index % (2 * size))


def expected(pixels: Array, place: Array, mode: int, filters: int, normalized: bool) -> float:
    """One sample of `pixels`, whose last dimension is x."""
    sizes = pixels.shape[::-1]
    between = []
    for size, coordinate in zip(sizes, place, strict=False):
        x = float(coordinate) * size if normalized else float(coordinate)
        x -= 0.5 if filters else 0
        first = int(np.floor(x))
        weight = round((x - first) * 256) / 256 if filters else 0.0
        between.append([(first, 1 - weight), (first + 1, weight)])
    total = 0.0
    for corner in itertools.product(*between):
        at = [led(i, size, mode, normalized) for (i, _), size in zip(corner, sizes, strict=True)]
        value = BORDER_COLOUR if None in at else pixels[tuple(at[::-1])]  # type: ignore[arg-type]
        total += float(np.prod([weight for _, weight in corner])) * float(value)
    return total


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("mode", [WRAP, CLAMP, MIRROR, BORDER])
@pytest.mark.parametrize("filters", [POINT, LINEAR])
@pytest.mark.parametrize("shape", [(7,), (8, 4), (2, 4, 8)])
def test_arrays(textures: Program, shape: tuple[int, ...], filters: int, mode: int, normalized: bool) -> None:
    pixels, at = random(*shape), places(100, shape[::-1], normalized)
    out = np.empty(len(at), np.float32)
    width, height, depth = (*shape[::-1], 0, 0)[:3]
    textures.sample_floats(
        pixels, width, height, depth, len(shape), filters, mode, int(normalized), at, out, len(at)
    )
    right = [expected(pixels, place, mode, filters, normalized) for place in at]
    assert np.allclose(out, right, atol=1e-3 if normalized else 1e-5)
    assert kinds() == []


def test_layers_are_not_filtered_and_end_at_the_last(textures: Program) -> None:
    pixels = random(3, 4, 8)
    at = np.array([[1.5, 2.5, 0], [2.0, 1.5, 1], [0.5, 0.5, 2], [0.5, 0.5, 7]], np.float32)
    out = np.empty(4, np.float32)
    textures.sample_floats(pixels, 8, 4, 3, 12, LINEAR, CLAMP, 0, at, out, 4)
    right = [pixels[0, 2, 1], (pixels[1, 1, 1] + pixels[1, 1, 2]) / 2, pixels[2, 0, 0], pixels[2, 0, 0]]
    assert np.allclose(out, right)
    textures.sample_floats(pixels[:, :1].copy(), 8, 0, 3, 11, POINT, CLAMP, 0, at, out, 4)
    assert np.allclose(out, pixels[[0, 1, 2, 2], 0, [1, 2, 0, 0]])


def test_a_weight_has_nine_bits(textures: Program) -> None:
    pixels = np.array([[0.0, 1.0]], np.float32)
    at = np.zeros((256, 3), np.float32)
    at[:, 0], at[:, 1] = 0.5 + np.arange(256) / 1000, 0.5
    out = np.empty(256, np.float32)
    textures.sample_floats(pixels, 2, 1, 0, 2, LINEAR, CLAMP, 0, at, out, 256)
    assert np.array_equal(out * 256, np.round(out * 256))
    assert np.abs(out - np.arange(256) / 1000).max() <= 1 / 512 + 1e-6


@pytest.mark.parametrize("filters", [POINT, LINEAR])
def test_bytes_become_fractions_of_one(textures: Program, filters: int) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (4, 6, 4), np.uint8)
    at = places(50, (6, 4), False)
    out = np.empty((50, 4), np.float32)
    textures.sample_bytes(pixels, 6, 4, filters, at, out, 50)
    scaled = pixels.astype(np.float64) / 255
    right = [[expected(scaled[..., c], place, CLAMP, filters, False) for c in range(4)] for place in at]
    assert np.allclose(out, right, atol=1e-6)


def test_integers_are_read_as_they_are(textures: Program) -> None:
    pixels = np.random.default_rng(1).integers(-(2**15), 2**15, (3, 5), np.int16)
    at = np.array([[x + 0.5, y + 0.5, 0] for y in range(3) for x in range(5)], np.float32)
    out = np.empty(15, np.int32)
    textures.sample_shorts(pixels, 5, 3, at, out, 15)
    assert np.array_equal(out, pixels.ravel())


def test_linear_memory_is_zero_outside(textures: Program) -> None:
    memory, at = random(10), np.array([0, 9, 10, -1, 2**30, 3], np.float32)
    out = np.empty(6, np.float32)
    textures.fetch_floats(memory, 10, at, out, 6)
    assert np.array_equal(out, [memory[0], memory[9], 0, 0, 0, memory[3]])
    pairs, two = np.arange(8, dtype=np.int32), np.empty((2, 2), np.int32)
    textures.fetch_pairs(pairs, 4, np.array([3, 4], np.float32), two, 2)
    assert two.tolist() == [[6, 7], [0, 0]]
    assert kinds() == []


@pytest.mark.parametrize("filters", [POINT, LINEAR])
def test_pitched_memory(textures: Program, filters: int) -> None:
    pixels, at = random(5, 7), places(40, (7, 5), False)
    out = np.empty(40, np.float32)
    textures.sample_pitched(pixels, 7, 5, filters, at, out, 40)
    assert np.allclose(out, [expected(pixels, place, CLAMP, filters, False) for place in at], atol=1e-5)


@pytest.mark.parametrize(
    ("what", "error"),
    [(0, "linear filtering not supported"), (1, "invalid argument"), (2, "invalid channel descriptor")],
)
def test_what_cuda_refuses(textures: Program, what: int, error: str) -> None:
    with pytest.raises(LaunchFailed, match=error):
        textures.create_badly(np.zeros(64, np.float32), what)


def test_transposing_by_surfaces(textures: Program) -> None:
    image = random(5, 9)
    turned = np.empty((9, 5), np.float32)
    textures.transpose(image, turned, 9, 5)
    assert np.array_equal(turned, image.T)


@pytest.mark.parametrize(("x", "y"), [(6, 1), (-1, 1), (2, 4), (2, -3)])
def test_the_boundary_of_a_surface(textures: Program, x: int, y: int) -> None:
    image, out = random(4, 6), np.ones(1, np.float32)
    before, nearest = image.copy(), (min(max(y, 0), 3), min(max(x, 0), 5))
    textures.reach_beyond(image, out, 6, 4, x, y, ZERO, 0)
    assert out[0] == 0
    textures.reach_beyond(image, out, 6, 4, x, y, ZERO, 1)
    assert np.array_equal(image, before)
    textures.reach_beyond(image, out, 6, 4, x, y, CLAMPED, 0)
    assert out[0] == before[nearest]
    textures.reach_beyond(image, out, 6, 4, x, y, CLAMPED, 1)
    before[nearest] = 5
    assert np.array_equal(image, before)


# ---- mistakes ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(ON_GPU, reason="a GPU has no checked build")
@pytest.mark.parametrize(
    ("case", "kind"),
    [
        ("fetch_unwritten", "uninitialized_read"),
        ("fetch_freed", "use_after_free"),
        ("fetch_past_the_allocation", "out_of_bounds"),
        ("overwrite_while_fetching", "race_global"),
    ],
)
def test_a_mistake_is_found(textures: Program, case: str, kind: str) -> None:
    at, out = np.arange(12, dtype=np.float32), np.zeros(12, np.float32)
    arguments: dict[str, tuple[Array | int, ...]] = {
        "fetch_unwritten": (12, at, out, 12),
        "fetch_freed": (at, out, 12),
        "fetch_past_the_allocation": (random(8), 8, at, out, 12),
        "overwrite_while_fetching": (random(12), 12),
    }
    textures.call(case, *arguments[case])
    assert set(kinds()) == {kind}


@pytest.mark.skipif(ON_GPU, reason="a GPU has no checked build")
@pytest.mark.parametrize("case", ["fetch_without_texture", "reach_beyond"])
def test_a_kernel_ends_at_what_is_not_there(textures: Program, case: str) -> None:
    at, out = np.zeros(4, np.float32), np.zeros(4, np.float32)
    with pytest.raises(LaunchFailed, match="illegal memory access") as failure:
        if case == "reach_beyond":
            textures.reach_beyond(random(4, 6), out, 6, 4, 6, 1, TRAP, 1)
        else:
            textures.fetch_without_texture(at, out, 4)
    said = json.loads(failure.value.found.splitlines()[0])
    textures._runtime.simt_reset()
    notes = {
        "reach_beyond": ("out_of_bounds", "byte 24 of row 1 of a surface with rows of 24 bytes and 4 rows"),
        "fetch_without_texture": ("trap", "a fetch from a texture object that does not exist"),
    }
    assert (said["kind"], said["note"]) == notes[case]


# ---- texture references, which CUDA 12 removed -------------------------------------------------------------


@pytest.mark.skipif(ON_GPU, reason="CUDA 12 removed texture references")
def test_texture_references() -> None:
    old = program("texture_references", checked=True)
    values, out = random(12), np.empty(12, np.float32)
    for function in (old.reverse, old.reverse_by_pointer):
        out[:] = 0
        function(values, out, 12)
        assert np.array_equal(out, values[::-1])
    old.middles(values, out, 12)
    assert np.allclose(out, (values + np.roll(values, -1)) / 2, atol=1e-6)
    pixels, colours = np.arange(32, dtype=np.uint8), np.empty((8, 4), np.float32)
    old.colour(pixels, colours, 8)
    assert np.allclose(colours.ravel() * 255, pixels)
    assert kinds() == []
    with pytest.raises(LaunchFailed, match="illegal memory access"):
        old.fetch_unbound(out)
    old._runtime.simt_reset()


def test_a_class_of_ones_own_may_be_called_texture() -> None:
    own = (
        "struct texture { int x; };\ntexture t;\n",
        "template <class T> class texture {};\ntexture<int> t;",
    )
    assert not any("texture_references" in translate(source, "a.cu") for source in own)
    assert "texture_references" in translate("texture<float, 2> t;\n", "a.cu")


@pytest.mark.parametrize(
    "name", ["tex2DLod<float>", "tex2Dgather<float4>", "texCubemap<float>", "tex3DGrad<float>"]
)
def test_other_fetches_are_refused_by_name(name: str) -> None:
    text = f"__global__ void k(float* a, cudaTextureObject_t t) {{\n  a[0] = {name}(t, 0, 0, 0).x;\n}}\n"
    with pytest.raises(TranslationError, match=rf"a\.cu:2: {name.split('<')[0]} \(mipmaps, cube maps"):
        translate(text, "a.cu")
