"""The language of .cu files: how kernels are launched, what they share, and what the host can name."""

from __future__ import annotations

import ctypes
import json
import math

import numpy as np
import pytest

from cusimt.tests.surface_program import ON_GPU, Program, findings, program, runtime


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def language(request: pytest.FixtureRequest) -> Program:
    return program("language", checked=request.param)


def test_built_in_variables_in_three_dimensions(language: Program) -> None:
    nx, ny, nz = 9, 5, 3
    result = np.zeros((nz, ny, nx), np.int32)
    language.indices(result, nx, ny, nz)
    z, y, x = np.indices((nz, ny, nx))
    assert np.array_equal(result, x + 100 * y + 10000 * z + 1000000 * 2)


def test_every_form_of_launch(language: Program) -> None:
    result = np.zeros(112, np.int32)
    language.forms(result)
    expected = [21, 14, 3, 41, 3, 7, 11, 10, 42, 51, 10, 13, 2, 24]
    assert result.reshape(-1, 8).T.tolist() == [expected] * 8


def test_launches_in_macros(language: Program) -> None:
    result = np.zeros(72, np.int32)
    language.forms_in_macros(result)
    assert result.reshape(-1, 8).T.tolist() == [[42, 0, 11, 4, 34, 9, 6, -6, 7]] * 8


@pytest.mark.parametrize("degree", [2, 4])
def test_a_constant_of_a_lambda_is_a_template_argument_in_the_next(language: Program, degree: int) -> None:
    result = np.zeros(8, np.int32)
    language.nested(result, degree)
    assert set(result) == {degree * 10}


def test_arguments_from_a_pack(language: Program) -> None:
    result = np.zeros(8, np.int32)
    language.forwarded(result)
    assert set(result) == {21}


@pytest.mark.parametrize(("name", "dtype"), [("reverse_float", np.float32), ("reverse_double", np.float64)])
def test_dynamic_shared_memory_in_a_template(language: Program, name: str, dtype: type) -> None:
    values = np.arange(200).astype(dtype)
    language.call(name, values, 200)
    assert np.array_equal(values, np.arange(200)[::-1])


def test_dynamic_shared_memory_at_file_scope(language: Program) -> None:
    values = np.arange(100, dtype=np.int32)
    language.prefix(values, 100)
    assert np.array_equal(values, np.cumsum(np.arange(100)))


def test_large_dynamic_shared_memory_needs_an_opt_in() -> None:
    fresh = program("language")
    result = np.zeros(1, np.int32)
    with pytest.raises(RuntimeError, match="invalid argument"):
        fresh.use_large(result, 20_000, 0)
    fresh.use_large(result, 20_000, 1)
    assert result[0] == 19_999
    fresh.use_large(result, 12_000, 0)
    assert result[0] == 11_999


def test_any_number_of_kernels_may_opt_in(language: Program) -> None:
    result = np.zeros(1, np.int32)
    language.use_many(result)
    assert result[0] == 128


def test_instances_of_a_template_opt_in_each_for_itself(language: Program) -> None:
    result = np.zeros(1, np.int32)
    language.use_instances(result)
    assert result[0] == 12


def test_constant_and_device_variables(language: Program) -> None:
    x = np.arange(8)
    result, copy = np.zeros((2, 8), np.float32)
    count = np.zeros(1, np.int32)
    language.symbols(result, count, copy)
    expected = 1 + 2 * x + 3 * x**2 + 4 * x**3 + np.array([2, 3, 5, 7])[x % 4]
    assert np.array_equal(result, expected)
    assert np.array_equal(copy, expected)
    assert count[0] == 13


def test_launch_without_brackets(language: Program) -> None:
    result = np.zeros(8, np.int32)
    language.without_brackets(result)
    assert set(result) == {34}


def test_kernels_launched_by_their_address(language: Program) -> None:
    result, errors = np.zeros(8, np.float32), np.zeros(2, np.int32)
    for twice in (0, 1):
        language.by_address(result, twice, errors)
        assert result.tolist() == [i * (1 + twice) + 0.5 for i in range(8)]
        assert errors.tolist() == [0, 98], "cudaErrorInvalidDeviceFunction for what is no kernel"


def test_local_memory_recursion_and_early_return(language: Program) -> None:
    result = np.full(16, -1, np.int32)
    language.local(result, 11)
    expected = [i * i + math.factorial(i % 8) if i < 11 else -1 for i in range(16)]
    assert result.tolist() == expected


def test_a_barrier_between_two_questions_of_one_condition(language: Program) -> None:
    sums, rows = np.zeros(32, np.float32), np.zeros(32, np.float32)
    language.barriers_between_guards(sums, rows)
    assert np.array_equal(sums, 3 * np.arange(32, 64))
    assert np.array_equal(rows, np.full(32, 6))
    assert findings() == ""


def test_an_alias_hides_the_template_it_is_made_of(language: Program) -> None:
    result = np.zeros(4, np.int32)
    language.hidden_template(result)
    assert result.tolist() == [9, 14, 19, 24]


def test_member_templates_are_called_without_the_keyword(language: Program) -> None:
    values, result = np.arange(8, dtype=np.int32), np.zeros(4, np.int32)
    language.member_templates(values, result)
    assert result.tolist() == [1, 22, 43, 64]


def test_a_lambda_is_known_to_be_for_both(language: Program) -> None:
    result = np.zeros(4, np.int32)
    language.lambda_for_both(result)
    assert result.tolist() == [0, 3, 6, 9]


@pytest.mark.skipif(ON_GPU, reason="only the simulated GPU keeps a record")
def test_a_launch_is_recorded_with_its_text_and_line(language: Program) -> None:
    runtime().simt_take_launches.restype = ctypes.c_char_p
    runtime().simt_take_launches()
    language.indices(np.zeros(8, np.int32), 2, 2, 2)
    launch = json.loads(runtime().simt_take_launches().decode().splitlines()[-1])
    assert launch["kernel"] == "indices_kernel"
    assert launch["file"].endswith("language.cu")
    assert launch["line"] == 13
    assert (launch["grid"], launch["block"]) == ([1, 1, 1], [4, 3, 2])
