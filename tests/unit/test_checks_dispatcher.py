"""The dispatcher check: which registration is missing or wrong, and values that are compared all the same.

The worker's part runs here, in this process, on operators for the CPU.
"""

from __future__ import annotations

import importlib.util
import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.checks.operators import dispatcher, mapped, messages, registered
from grader.checks.outcome import Outcome
from grader.checks.values.inputs import Drawn, Inputs
from grader.run.values import Output, RemoteError, Reply
from grader.specification import Case, Dispatcher, Gradient, Mapped, Operator, tensor
from grader.specification.dispatcher import checked
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench

pytestmark = pytest.mark.slow("calls operators in every way that PyTorch has")

PARAMETERS = ("a", "b")
_calls = itertools.count(1)


class InsideSession(FakeSession):
    """Runs the worker's part here; a launch is a call of the operator's kernel, in ``kernel_calls``."""

    def __init__(self, entry: Callable[..., Any], kernels: list[int], **options: Any) -> None:
        super().__init__(entry, **options)
        self.kernel_calls = kernels
        path = registered.__file__.replace("registered.py", "inside.py")
        recipe = importlib.util.spec_from_file_location("dispatching", path)
        assert recipe is not None and recipe.loader is not None
        self.inside = importlib.util.module_from_spec(recipe)
        recipe.loader.exec_module(self.inside)

    def run_inside(
        self, check: str, args: Sequence[Any], *, trace: bool = False, seconds: float | None = None
    ) -> Reply:
        self._begin("inside")
        self._sent, self._received = [], []
        self.kernel_calls.clear()
        function = getattr(self.inside, check.rpartition(":")[2])
        try:
            with warnings.catch_warnings(action="ignore"):  # PyTorch's own, of which pytest makes errors
                result = function(
                    SimpleNamespace(muladd=self.function), *[self._receive(arg) for arg in args]
                )
        except Exception as problem:
            return Reply(error=RemoteError(type(problem).__name__, str(problem)))
        results = result if isinstance(result, list | tuple) else [result]
        reply = Reply(tuple(self._any_output(each) for each in results))
        reply = self._finish(reply, check.rpartition(":")[2], "forward", "default")
        launches = tuple(launch for launch in reply.trace.launches for _ in self.kernel_calls)
        return replace(reply, trace=replace(reply.trace, launches=launches))

    def _any_output(self, value: Any) -> Output:
        return Output("other", value=value) if isinstance(value, bool | int | str) else self._output(value)


def registration(
    name: str,
    fake: Callable[..., Tensor] | None,
    *,
    derivative: bool = True,
    exchanged: bool = False,
    rule: bool = True,
    kernel: bool = True,
    out_dim: int = 0,
    gradients: int = 2,
    noise: bool = False,
) -> tuple[Callable[..., Tensor], list[int]]:
    """A product as the operator ``unit_dispatch::name``: a function of op.py, and a list of kernel calls."""
    kernels: list[int] = []
    full = f"unit_dispatch::{name}"

    def multiply(a: Tensor, b: Tensor) -> Tensor:
        kernels.append(1)
        product = torch.mul(a.detach(), b.detach())  # as a kernel does, which records nothing
        return product + next(_calls) if noise else product

    class Product(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(a: Tensor, b: Tensor) -> Tensor:
            return getattr(torch.ops.unit_dispatch, name)(a, b)  # type: ignore[no-any-return]

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, ...]:
            a, b = ctx.saved_tensors
            return (grad * b, grad * a)[:gradients]

    def mapped(info: Any, in_dims: tuple[int | None, ...], *args: Tensor) -> tuple[Tensor, int]:
        front = [
            each.expand(info.batch_size, *each.shape) if dim is None else each.movedim(dim, 0)
            for each, dim in zip(args, in_dims, strict=True)
        ]
        return getattr(torch.ops.unit_dispatch, name)(*front), out_dim

    torch.library.define(full, "(Tensor a, Tensor b) -> Tensor")
    if kernel:
        torch.library.impl(full, "CPU")(multiply)
    if fake is not None:
        torch.library.register_fake(full, fake)
    if derivative:
        given = (Product.backward, Product.setup_context)
        backward, setup_context = reversed(given) if exchanged else given
        torch.library.register_autograd(full, backward, setup_context=setup_context)
    if rule:
        torch.library.register_vmap(full, mapped)
    return Product.apply, kernels


def pair(shape: tuple[int, ...], dtype: str = "float32") -> list[Any]:
    return [tensor(shape, dtype), tensor(shape, dtype)]


def asked(name: str) -> Dispatcher:
    return Dispatcher(
        [
            Operator(
                f"unit_dispatch::{name}",
                [Case("3 x 2", pair((3, 2))), Case("double", pair((2, 5), "float64"))],
            )
        ],
        [Case("5 rows", pair((5, 3))), Case("7 rows", pair((7, 4)))],
        [Mapped("a", [tensor((4, 3, 2)), tensor((3, 2))], (0, None))],
    )


def judged(
    name: str, fake: Callable[..., Tensor] | None, edit_reply: Callable[[Reply], Reply] = lambda reply: reply,
    is_mapped: bool = True, known: Mapping[str, Outcome] | None = None, **options: Any,
) -> Outcome:  # fmt: skip
    entry, kernels = registration(name, fake, **options)
    wanted = asked(name) if is_mapped else replace(asked(name), mapped=())
    bench = fake_bench(
        InsideSession(entry, kernels, edit_reply=edit_reply), lambda a, b: a * b, [Case("one", pair((2, 2)))],
        parameters=PARAMETERS, gradient=Gradient(), dispatcher=checked(wanted, PARAMETERS),
    )  # fmt: skip
    bench.outcomes.update(known or {})
    return dispatcher.check(bench)


def like_a(a: Tensor, b: Tensor) -> Tensor:
    return a.new_empty(a.shape)


def failing(outcome: Outcome) -> list[str]:
    return [line.split("  ")[0] for line in outcome.lines if not line.endswith("holds")]


# ---- the six steps -----------------------------------------------------------------------------------------


def test_a_whole_registration_passes() -> None:
    outcome = judged("whole", like_a)
    assert (outcome.status, outcome.share) == (Status.PASS, None), outcome.sentence


def test_a_rule_for_vmap_is_needed_only_where_calls_are_mapped() -> None:
    without = judged("unmapped", like_a, rule=False, is_mapped=False)
    assert without.status is Status.PASS and without.sentence.endswith("in one graph for all sizes.")
    assert judged("is_mapped", like_a, rule=False).status is Status.FAIL


def test_an_operator_that_is_not_there_is_the_only_thing_told() -> None:
    entry, kernels = registration("there", like_a)
    bench = fake_bench(
        InsideSession(entry, kernels),
        lambda a, b: a * b,
        [],
        dispatcher=checked(asked("elsewhere"), PARAMETERS),
    )
    outcome = dispatcher.check(bench)
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith("There is no operator unit_dispatch::elsewhere.")
    assert (outcome.topic, outcome.share) == ("schema", None)


def test_a_fake_of_another_dtype() -> None:
    outcome = judged("another_dtype", lambda a, b: torch.empty(a.shape, device=a.device))
    assert failing(outcome) == ["fake tensor"]
    assert outcome.sentence.startswith("Fake tensor: unit_dispatch::another_dtype(a: float64 (2, 5),")
    assert "Dtypes torch.float64 and torch.float32 are not equal! A fake gives shape" in outcome.sentence
    assert outcome.topic == "fake_tensor"
    assert outcome.share == pytest.approx(5 / 6)


def test_a_fake_that_fixes_a_size() -> None:
    outcome = judged("fixed", lambda a, b: a.new_empty((int(a.shape[0]), a.shape[1])))
    assert failing(outcome) == ["torch.compile"]
    assert "torch.compile(dynamic=True) made 2 graphs of muladd for 2 calls" in outcome.sentence
    assert outcome.topic == "compile"


def test_a_derivative_that_only_the_class_has() -> None:
    outcome = judged("class_only", like_a, derivative=False)
    assert failing(outcome) == ["autograd registration", "torch.compile"]
    assert "unit_dispatch::class_only has no derivative under the key Autograd." in outcome.sentence
    assert "torch.compile          fails: see autograd registration" in outcome.lines
    assert outcome.share == pytest.approx(4 / 6)


def test_an_operator_of_custom_op_has_no_derivative_until_it_is_registered() -> None:
    from grader.checks.operators.inside import has_derivative

    def double(a: Tensor) -> Tensor:
        return a.detach() * 2

    made = torch.library.custom_op("unit_dispatch::made", double, mutates_args=())
    assert not has_derivative(None, "unit_dispatch::made")
    made.register_autograd(lambda ctx, grad: 2 * grad)
    assert has_derivative(None, "unit_dispatch::made")


def test_what_a_later_step_says_again_is_said_once() -> None:
    outcome = judged("no_fake", None)
    told = [line for line in outcome.lines if "there is no fake of" in line]
    assert told and all("fails, as does fake tensor: there is no fake of" in line for line in told)
    assert "where two are compared" not in outcome.sentence.lower()


def test_too_few_gradients_are_the_registrations_fault() -> None:
    outcome = judged("one_gradient", like_a, gradients=1)
    assert outcome.sentence.startswith("Autograd registration: backward returns 1 gradient too few.")
    assert outcome.topic == "number_of_gradients"
    assert "autograd registration  fails" in outcome.lines
    assert "AOT dispatch           fails: see autograd registration" in outcome.lines


def test_values_that_are_wrong_anyway_are_no_fault_of_a_registration() -> None:
    alone = judged("noise", like_a, noise=True)
    assert alone.sentence.startswith("AOT dispatch: ")
    assert "Outputs of the operator are different" in alone.sentence
    wrong = Outcome(Status.FAIL, "muladd(...) returned 1, expected 0.", topic="values")
    known = judged("noise_known", like_a, noise=True, known={"correctness": wrong})
    assert known.sentence == "AOT dispatch: repair the values first: they are wrong without it, too."
    said = "torch.compile          fails: repair the values first: they are wrong without it, too."
    assert said in known.lines
    race = judged("noise_race", like_a, noise=True, known={"safety": wrong})
    assert "repair what the safety check found first" in race.sentence
    of_float32 = lambda a, b: torch.empty(a.shape, device=a.device)  # noqa: E731
    fake = judged("fake_known", of_float32, known={"correctness": wrong})
    assert "A fake gives shape, dtype" in fake.sentence, "that depends on no value"


def test_what_is_to_be_repaired_first_is_read_up_on_where_its_check_says() -> None:
    wrong = Outcome(Status.FAIL, "muladd(...) returned 1, expected 0.", topic="race_shared")
    known = judged("noise_topic", like_a, noise=True, known={"correctness": wrong})
    assert known.topic == "race_shared"
    assert judged("noise_alone", like_a, noise=True).topic == "aot_dispatch"


def test_a_fake_with_another_number_of_results_is_named() -> None:
    outcome = judged("two_from_the_fake", lambda a, b: (torch.empty_like(a), torch.empty_like(a)))
    assert "The fake of unit_dispatch" in outcome.sentence
    assert "returns 2 values, and its schema has 1." in outcome.sentence
    assert outcome.topic == "fake_tensor"


def test_a_device_that_failed_is_no_fault_of_a_registration() -> None:
    said = "AcceleratorError: CUDA error: invalid argument\nSearch for `cudaErrorInvalidValue' in https://docs"
    outcome = messages.complaint_outcome("f(a)", "test_schema", said)
    assert outcome is not None and outcome.topic == dispatcher.UNTESTED
    assert outcome.sentence.startswith("f(a) raised AcceleratorError: CUDA error: invalid argument. Repair")


def test_a_loop_instead_of_a_rule_for_vmap() -> None:
    outcome = judged("loop", like_a, rule=False)
    assert failing(outcome) == ["torch.func"]
    assert "vmap(muladd, in_dims=(0, None))" in outcome.sentence
    assert "4 launches for 4 samples, 1 expected: no rule is registered" in outcome.sentence
    assert outcome.topic == "vmap"


def test_names_that_nobody_asked_for() -> None:
    entry, kernels = registration("named", like_a)
    operators = [replace(asked("named").operators[0], arguments=("first", "second"))]
    bench = fake_bench(
        InsideSession(entry, kernels), lambda a, b: a * b, [Case("one", pair((2, 2)))], parameters=PARAMETERS,
        gradient=Gradient(), dispatcher=checked(replace(asked("named"), operators=operators), PARAMETERS),
    )  # fmt: skip
    outcome = dispatcher.check(bench)
    assert failing(outcome) == ["schema"]
    assert outcome.sentence.startswith(
        "Schema: unit_dispatch::named calls its arguments (a, b); (first, second) is asked for."
    )
    assert (outcome.expected, outcome.got) == ("(first, second)", "(a, b)")


def test_backward_and_setup_context_exchanged() -> None:
    outcome = judged("exchanged", like_a, exchanged=True)
    assert outcome.sentence.startswith("Autograd registration: ")
    assert "backward is called as setup_context(ctx, inputs, output)" in outcome.sentence
    assert outcome.topic == "autograd_registration"
    assert "schema                 fails: see autograd registration" in outcome.lines
    assert "torch.func             holds" in outcome.lines


@pytest.mark.parametrize(
    ("out_dim", "words"),
    [(1, "the output has shape (3, 4, 2), expected (4, 3, 2)."), (5, "raised IndexError.")],
)
def test_a_rule_whose_second_value_is_wrong(out_dim: int, words: str) -> None:
    outcome = judged(f"out_dim_{out_dim}", like_a, out_dim=out_dim)
    assert failing(outcome) == ["torch.func"]
    assert f"{words} The second value that a rule returns says where" in outcome.sentence


def test_an_operator_without_a_kernel_is_not_tested() -> None:
    outcome = judged("no_kernel", like_a, kernel=False)
    assert outcome.sentence.startswith(
        "Schema not tested: unit_dispatch::no_kernel has no kernel for CPU. A call of m.impl"
    )
    assert outcome.topic == "errors"
    assert "fake tensor            not tested" in outcome.lines


def test_an_open_todo_is_work_to_do_and_no_mistake() -> None:
    def stub(a: Tensor, b: Tensor) -> Tensor:
        raise NotImplementedError("TODO(fake)")

    outcome = judged("open", stub)
    assert (outcome.status, outcome.sentence) == (Status.NOT_ATTEMPTED, "Still open: TODO(fake).")


# ---- claims are not enough ---------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["compiled", "mapped", "vjp", "mapped_vjp"])
def test_values_from_the_worker_are_compared_here(stage: str) -> None:
    def forged(reply: Reply) -> Reply:
        outputs = tuple(
            replace(each, tensor=each.tensor + 1) if each.tensor is not None else each
            for each in reply.outputs
        )
        return replace(reply, outputs=outputs) if asked_for == stage else reply

    asked_for = ""

    class Watching(InsideSession):
        def run_inside(self, check: str, args: Sequence[Any], **options: Any) -> Reply:
            nonlocal asked_for
            asked_for = check.rpartition(":")[2]
            return super().run_inside(check, args, **options)

    entry, kernels = registration(f"forged_{stage}", like_a)
    bench = fake_bench(
        Watching(entry, kernels, edit_reply=forged), lambda a, b: a * b, [Case("one", pair((2, 2)))],
        parameters=PARAMETERS, gradient=Gradient(), dispatcher=checked(asked(f"forged_{stage}"), PARAMETERS),
    )  # fmt: skip
    outcome = dispatcher.check(bench)
    assert failing(outcome) == ["torch.compile" if stage == "compiled" else "torch.func"]
    assert outcome.expected and outcome.got and outcome.expected != outcome.got


# ---- words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("Shapes differ. Please do this.", "Shapes differ."),
        ("a key (e.g. DispatchKey::Autograd). This could mean", "a key (e.g. DispatchKey::Autograd)."),
        ("no support\n  Explanation: Dynamo cannot", "no support."),
        ("backend='counting' raised:\nRuntimeError: an invalid gradient", "an invalid gradient."),
        ("one\n  line goes on\n\nHints follow", "one line goes on."),
        ("x" * 500, "x" * 400 + " ..."),
    ],
)
def test_pytorch_is_quoted_by_its_first_sentence(message: str, first: str) -> None:
    assert messages.first_sentence(message) == first


def test_an_exception_that_a_test_only_met_comes_without_its_rule() -> None:
    for complaint in ("TypeError: no", "DifferentAnswers: `kernel` leaves different values in `sums`."):
        outcome = messages.complaint_outcome("f(a)", "test_aot_dispatch_static", complaint)
        assert outcome is not None and "fake tensors" not in outcome.sentence, complaint
        assert complaint.partition(": ")[2].rstrip(".") in outcome.sentence


# ---- the spec ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"operators": []}, "needs operators"),
        ({"compiled": []}, "needs operators and compiled"),
        ({"operators": [Operator("muladd", [Case("a", pair((2, 2)))])]}, "not written"),
        ({"operators": [Operator("unit::f", [])]}, "has no cases"),
        ({"mapped": [Mapped("a", pair((3, 2)), (0,))]}, "1 in_dims for 2 arguments"),
        ({"mapped": [Mapped("a", pair((3, 2)), (0, 2))]}, "no dimension 2"),
        ({"mapped": [Mapped("a", pair((3, 4)), (0, 1))]}, "have one size, at least 3"),
        ({"mapped": [Mapped("a", pair((2, 4)), (0, 0))]}, "have one size, at least 3"),
        ({"mapped": [Mapped("a", pair((3, 4)), (None, None))]}, "have one size, at least 3"),
    ],
)
def test_what_cannot_be_meant_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        checked(replace(asked("spec"), **changes), PARAMETERS)


def test_arguments_are_named_after_the_operators_own_parameters() -> None:
    operator = Operator("unit::backward", [Case("a", pair((2, 2)))], arguments=("grad", "b"))
    found = checked(replace(asked("spec"), operators=[operator]), PARAMETERS)
    assert found is not None
    assert [arg.name for arg in found.operators[0].cases[0].args] == ["grad", "b"]  # type: ignore[union-attr]
    assert [arg.name for arg in found.mapped[0].args] == ["a", "b"]  # type: ignore[union-attr]
    assert found.mapped[0].size == 4


def test_a_batch_that_is_behind_is_told_after_calls_that_were_right() -> None:
    front = Mapped("front", [tensor((4, 3, 2)), tensor((3, 2))], (0, None))
    behind = Mapped("behind", [tensor((3, 2)), tensor((3, 4, 2))], (None, 1))
    inputs = Inputs(
        tuple(
            Drawn(replace(each, name=name), torch.ones(each.shape))
            for each, name in zip(behind.args, "ab", strict=True)
        )
    )
    told = mapped._moved(replace(asked("x"), mapped=[front, behind]), behind, inputs)
    assert told.startswith("With the batch in dimension 0 all is right, and here it is dimension 1 of b")
    assert mapped._moved(replace(asked("x"), mapped=[behind]), behind, inputs) == ""
    assert mapped._moved(replace(asked("x"), mapped=[behind, front]), front, inputs) == ""
