"""The gradient check against backwards that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.checks.gradients import gradient
from grader.checks.gradients.comparison import placed
from grader.checks.gradients.reference_graph import Tape
from grader.checks.outcome import Outcome
from grader.run.values import RemoteError, Reply, Trace
from grader.specification import Case, Gradient, tensor
from grader.specification.vocabulary import TensorSpec
from grader.verdict import Status
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench


def pair(shape: int | tuple[int, ...], dtype: str = "float64", **more: Any) -> list[TensorSpec]:
    return [replace(tensor(shape, dtype, **more), name=name) for name in "ab"]


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * b


class Product(torch.autograd.Function):
    """a * b with its backward; each test breaks one line of it."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        a, b = ctx.saved_tensors
        return grads[0] * b, grads[0] * a


def with_backward(backward: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return type("Broken", (Product,), {"backward": staticmethod(backward)}).apply  # type: ignore[attr-defined]


ODD = Gradient(cases=[Case("odd", pair((5, 7)))])


def judged(function: Callable[..., Any], spec: Gradient = ODD, **more: Any) -> Outcome:
    reference = more.pop("reference", product)
    accumulation = more.pop("accumulation", None)
    correctness = more.pop("correctness", None)
    session = FakeSession(function, **more)
    bench = fake_bench(session, reference, [], parameters="ab", gradient=spec, accumulation=accumulation)
    if correctness is not None:
        bench.outcomes["correctness"] = correctness
    outcome = gradient.check(bench)
    assert not session.graphs, "every graph has to be released"
    return outcome


def test_the_right_backward_passes() -> None:
    outcome = judged(Product.apply)
    assert outcome.status is Status.PASS
    assert outcome.sentence.endswith("and gradcheck agrees.")


def test_every_kind_of_cotangent_and_every_input_alone_is_tried() -> None:
    seen: list[tuple[tuple[int, ...], tuple[bool, ...]]] = []

    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        seen.append((grad.stride(), ctx.needs_input_grad))
        return Product.backward(ctx, grad)

    assert judged(with_backward(backward), replace(ODD, mode="cotangent")).status is Status.PASS
    both, alone = (True, True), [(True, False), (False, True)]
    kinds = [((7, 1), both), ((0, 0), both), ((1, 5), both), ((7, 1), alone[0]), ((7, 1), alone[1])]
    assert seen == [*kinds, *[((7, 1), both)] * 3], "at last with a, b and the result changed in place"


def test_a_result_of_matrices_is_also_given_dense_rows_at_other_distances() -> None:
    seen: list[tuple[int, ...]] = []

    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        seen.append(grad.stride())
        return Product.backward(ctx, grad)

    heads = Gradient(cases=[Case("two heads", pair((2, 3, 4)))], mode="cotangent")
    assert judged(with_backward(backward), heads).status is Status.PASS
    assert seen[:4] == [(12, 4, 1), (0, 0, 0), (12, 1, 3), (4, 8, 1)]

    def of_dense_heads(ctx: Any, grad: torch.Tensor) -> Any:  # rows are dense, so they are in place
        known = grad if grad.stride(-1) == 1 else grad.contiguous()
        return Product.backward(ctx, known.as_strided(known.shape, (12, 4, 1)))

    outcome = judged(with_backward(of_dense_heads), heads)
    assert "given a cotangent whose rows are dense and interleaved in memory" in outcome.sentence


def test_float32_is_compared_but_not_gradchecked() -> None:
    outcome = judged(Product.apply, Gradient(cases=[Case("float32", pair(300, "float32"))]))
    assert outcome.status is Status.PASS
    assert "gradcheck" not in outcome.sentence


def test_a_factor_in_one_gradient_is_told_with_its_input_and_both_values() -> None:
    outcome = judged(with_backward(lambda ctx, g: (g * ctx.saved_tensors[1], 2 * g * ctx.saved_tensors[0])))
    assert outcome.status is Status.FAIL
    assert "given a random cotangent: the gradient of b is " in outcome.sentence
    assert outcome.sentence.endswith("Every element is 2 times what it should be.")
    assert float(outcome.got) == pytest.approx(2 * float(outcome.expected), rel=1e-4)


def test_wrong_gradients_are_read_up_on_as_such() -> None:
    outcome = judged(with_backward(lambda ctx, grad: (grad * ctx.saved_tensors[1] * 2, grad)))
    assert (outcome.topic, outcome.reading) == ("values", "gradient")
    assert judged(with_backward(lambda ctx, grad: (None, None))).reading == ""


def test_a_missing_chain_factor_is_recognised() -> None:
    outcome = judged(with_backward(lambda ctx, g: (g, g * ctx.saved_tensors[0])))
    assert "the chain rule's factor b is missing" in outcome.sentence


def test_exchanged_gradients_are_recognised() -> None:
    outcome = judged(with_backward(lambda ctx, g: (g * ctx.saved_tensors[0], g * ctx.saved_tensors[1])))
    assert "This equals the gradient of b: either the two are returned in another order" in outcome.sentence


def test_exchanged_gradients_are_recognised_with_the_rounding_errors_of_long_sums() -> None:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(a, b)
            return a @ b

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            a, b = ctx.saved_tensors
            return 1.0001 * (a.mT @ grad), grad @ b.mT

    square = Gradient(cases=[Case("float32", pair((60, 60), "float32"))])
    outcome = judged(Product.apply, square, reference=lambda a, b: a @ b, accumulation=lambda a, b: 2000)
    assert "This equals the gradient of b: either" in outcome.sentence


def test_inputs_whose_gradients_are_equal_cannot_be_exchanged() -> None:
    """A gradient that lost digits is close to that of the other input of a sum, and to its own."""

    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return a + b

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            return grad.float().double(), grad

    outcome = judged(Sum.apply, Gradient(cases=[Case("float64", pair((5, 7)))]), reference=lambda a, b: a + b)
    assert outcome.status is Status.FAIL
    assert "the gradient of a is " in outcome.sentence
    assert "equals the gradient of b" not in outcome.sentence


def test_a_missing_gradient_is_a_sentence_and_not_a_zero() -> None:
    outcome = judged(with_backward(lambda ctx, g: (g * ctx.saved_tensors[1], None)))
    assert outcome.status is Status.FAIL
    assert "returned None for b, which requires a gradient" in outcome.sentence


def test_none_is_right_where_the_result_does_not_depend_on_the_input() -> None:
    def first(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * 2

    outcome = judged(first, Gradient(cases=[Case("odd", pair((5, 7)))], inputs=("a", "b")), reference=first)
    assert outcome.status is Status.PASS


def test_a_detached_output_is_explained() -> None:
    outcome = judged(lambda a, b: (a * b).detach())
    assert outcome.status is Status.FAIL
    assert "a requires grad, but the result does not" in outcome.sentence


def test_a_backward_that_reads_only_dense_cotangents_fails_for_expanded_ones() -> None:
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        dense = grad.as_strided(grad.shape, (7, 1)) if grad.stride() == (7, 1) else grad * 0
        return Product.backward(ctx, dense)

    outcome = judged(with_backward(backward))
    assert "given an expanded cotangent (stride 0, as sum().backward() sends)" in outcome.sentence


def test_a_gradient_of_the_wrong_shape_or_dtype() -> None:
    outcome = judged(Product.apply, edit_reply=lambda reply: _reshaped(reply) if not reply.handle else reply)
    assert "the gradient of a has shape (1, 5, 7), expected (5, 7)" in outcome.sentence


def _reshaped(reply: Reply) -> Reply:
    outputs = [
        replace(each, tensor=each.tensor[None] if each.tensor is not None else None) for each in reply.outputs
    ]
    return replace(reply, outputs=tuple(outputs))


def test_a_result_of_the_wrong_shape_has_no_gradient_to_be_judged() -> None:
    outcome = judged(lambda a, b: (a * b).sum(0))
    assert outcome.status is Status.FAIL
    assert outcome.sentence == (
        "muladd(a: float64 (5, 7), b: float64 (5, 7)) returned shape [7], expected shape [5, 7]: fix "
        "forward first."
    )
    assert "shapes [5, 7] and [5]" in judged(lambda a, b: (a * b, (a * b).sum(1))).sentence


def test_an_exception_in_backward_names_the_cotangent() -> None:
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        if not grad.is_contiguous():
            raise ValueError("grad must be contiguous")
        return Product.backward(ctx, grad)

    outcome = judged(with_backward(backward))
    assert outcome.status is Status.FAIL
    assert "given an expanded cotangent" in outcome.sentence
    assert outcome.sentence.endswith("raised ValueError at op.py:20: grad must be contiguous")


def test_an_open_todo_in_backward_is_work_to_do() -> None:
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        raise NotImplementedError("TODO(backward): the gradients of a and b")

    outcome = judged(with_backward(backward))
    assert outcome.status is Status.NOT_ATTEMPTED


class Crooked(Product):
    """The forward has a small term that its own backward and the reference do not know."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return a * b + 0.01 * a.detach() ** 2


def test_gradcheck_compares_backward_with_the_submissions_own_forward() -> None:
    outcome = judged(Crooked.apply)
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith(
        "gradcheck of muladd(a: float64 (5, 7), b: float64 (5, 7)): the derivative"
    )
    assert "with respect to a is " in outcome.sentence
    assert abs(float(outcome.got) - float(outcome.expected)) > 1e-3


def test_backward_is_not_blamed_for_the_finite_differences_of_a_wrong_result() -> None:
    outcome = judged(Crooked.apply, correctness=Outcome(Status.FAIL, "wrong", topic="values"))
    assert outcome.status is Status.FAIL
    assert outcome.sentence == (
        "gradcheck of muladd(a: float64 (5, 7), b: float64 (5, 7)): the derivative with respect to a is "
        "right in backward; finite differences disagree because the forward result is wrong. Fix forward "
        "first."
    )
    assert outcome.reading == "values"


@pytest.mark.parametrize(
    "correctness", [Outcome(Status.PASS, "right"), Outcome(Status.FAIL, "accepted", topic="refusals")]
)
def test_a_result_with_right_values_is_not_blamed(correctness: Outcome) -> None:
    assert "according to backward" in judged(Crooked.apply, correctness=correctness).sentence


def test_a_wrong_backward_is_told_of_whatever_the_result() -> None:
    wrong = with_backward(lambda ctx, grad: (2 * grad * ctx.saved_tensors[1], grad * ctx.saved_tensors[0]))
    outcome = judged(wrong, correctness=Outcome(Status.FAIL, "wrong", topic="values"))
    assert outcome.status is Status.FAIL
    assert "the gradient of a is" in outcome.sentence


def test_a_gradient_that_nothing_explains_may_follow_from_a_wrong_result() -> None:
    astray = with_backward(lambda ctx, grad: (grad.flip(0).exp(), grad * ctx.saved_tensors[0]))
    aside = "Results of forward are wrong, too, and this may follow from them: repair forward first."
    assert aside in judged(astray, correctness=Outcome(Status.FAIL, "wrong", topic="values")).sentence
    assert aside not in judged(astray).sentence
    explained = with_backward(lambda ctx, grad: (grad, grad * ctx.saved_tensors[0]))
    assert aside not in judged(explained, correctness=Outcome(Status.FAIL, "wrong", topic="values")).sentence


def test_gradcheck_uses_fast_mode_for_large_inputs() -> None:
    session_calls: list[int] = []
    large = Gradient(cases=[Case("large", pair((40, 40)))])

    def counted(a: torch.Tensor, b: torch.Tensor) -> Any:
        session_calls.append(1)
        return Product.apply(a, b)

    assert judged(counted, large).status is Status.PASS
    assert len(session_calls) < 50  # exact mode would need two calls per input element


def test_fast_mode_sees_a_wrong_gradient() -> None:
    class VeryCrooked(Product):
        @staticmethod
        def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(a, b)
            return a * b + a.detach()

    outcome = judged(VeryCrooked.apply, Gradient(cases=[Case("large", pair((40, 40)))]))
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith("gradcheck of")


def test_gradcheck_tries_undefined_cotangents() -> None:
    class Strict(Product):
        @staticmethod
        def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            ctx.set_materialize_grads(False)
            return Product.forward(ctx, a, b)

    outcome = judged(Strict.apply)
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith("gradcheck: the backward of")
    assert "NoneType" in outcome.sentence


def test_a_backward_that_changes_between_runs_is_found() -> None:
    runs = []

    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        runs.append(1)
        noise = 1e-6 * len(runs) if grad.abs().sum() == 1 else 0.0  # only under gradcheck's unit cotangents
        a, b = ctx.saved_tensors
        return grad * b + noise, grad * a

    outcome = judged(with_backward(backward))
    assert outcome.status is Status.FAIL
    assert "two runs of backward with the same cotangent differ" in outcome.sentence


def test_unrequested_gradients_are_counted_by_launches() -> None:
    def always_two(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=(LAUNCH, LAUNCH)) if stage == "backward" else trace

    strict = replace(ODD, unrequested=True)
    outcome = judged(Product.apply, strict, edit_trace=always_two)
    assert outcome.status is Status.FAIL
    assert "only a requires grad, and still 2 kernels are launched" in outcome.sentence
    assert judged(Product.apply, ODD, edit_trace=always_two).status is Status.PASS


def test_sums_get_the_tolerance_of_a_sum() -> None:
    def total(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b

    rows = [replace(tensor((4000, 3), "float32"), name="a"), replace(tensor(3, "float32"), name="b")]
    spec = Gradient(cases=[Case("rows", rows)])
    assert judged(total, spec, reference=total, accumulation=lambda a, b: len(a)).status is Status.PASS


class RowSoftmax(torch.autograd.Function):
    """Its gradient is zero under a constant cotangent, where large terms cancel up to their rounding."""

    whole = True  # whether backward subtracts the sum

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        y = torch.softmax(a * b, dim=-1)
        ctx.save_for_backward(y, a, b)
        return y

    @classmethod
    def slope(cls, y: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
        # Another order of additions than torch's, and so other rounding errors.
        dot = (y * grad).flip(-1).cumsum(-1)[..., -1:]
        return y * (grad - dot) if cls.whole else y * grad

    @classmethod
    def backward(cls, ctx: Any, *grads: Any) -> Any:
        y, a, b = ctx.saved_tensors
        found = cls.slope(y, grads[0])
        return found * b, found * a


def softmax_of_product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.softmax(a * b, dim=-1)


def test_what_cancels_leaves_rounding_errors_that_are_no_mistake() -> None:
    for dtype in ("float32", "float64"):
        spec = Gradient(cases=[Case("rows", pair((40, 30), dtype))])
        outcome = judged(RowSoftmax.apply, spec, reference=softmax_of_product)
        assert outcome.status is Status.PASS, outcome.sentence


def test_how_much_cancels_is_asked_only_where_a_gradient_looks_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    uncancelled = Tape.uncancelled

    def noted(self: Tape, cotangents: list[torch.Tensor]) -> dict[str, float]:
        asked.append(len(cotangents))
        return uncancelled(self, cotangents)

    monkeypatch.setattr(Tape, "uncancelled", noted)
    assert judged(Product.apply).status is Status.PASS
    assert asked == []
    spec = Gradient(cases=[Case("rows", pair((40, 30), "float32"))])
    assert judged(RowSoftmax.apply, spec, reference=softmax_of_product).status is Status.PASS
    assert asked, "a constant cotangent leaves rounding errors, which are no mistake"


def test_a_term_that_fails_to_cancel_is_a_mistake() -> None:
    class Forgetful(RowSoftmax):
        whole = False

    outcome = judged(Forgetful.apply, reference=softmax_of_product)
    assert outcome.status is Status.FAIL


def test_two_outputs_get_two_cotangents() -> None:
    def both(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * b, a + b

    assert judged(both, reference=both).status is Status.PASS

    def swapped(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return (a * b).detach() + 0 * a, a + b

    assert judged(swapped, reference=both).status is Status.FAIL


def test_without_a_gradient_there_is_nothing_to_judge() -> None:
    assert gradient.check(fake_bench(FakeSession(product), product, [])).status is Status.UNAVAILABLE


def test_a_backward_that_changes_the_gradient_it_is_given_is_refused() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return 2 * a + b

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            dense = grads[0].contiguous()  # no copy where it is contiguous already
            return dense.mul_(2), dense / 2

    outcome = judged(Twice.apply, reference=lambda a, b: 2 * a + b)
    assert outcome.status is Status.FAIL
    assert "changed the incoming gradient. Backward does not own it" in outcome.sentence
    assert outcome.topic == "grad_out_changed"


def test_a_gradient_that_nothing_has_happened_to_is_recognised() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return a * a + 2 * b

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0], 2 * grads[0]

    outcome = judged(Square.apply, reference=lambda a, b: a * a + 2 * b)
    assert outcome.sentence.endswith(
        "The result is grad_out itself. Either backward returns it unmodified, or autograd sees this input "
        "pass through the call unchanged."
    )


def test_an_operation_in_place_is_differentiated_through_copies_of_the_leaves() -> None:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *rings: torch.Tensor) -> Any:
            ctx.mark_dirty(*rings)
            return tuple(ring.mul_(3) for ring in rings)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return tuple(grad * 3 for grad in grads)

    def scale_(rings: list[torch.Tensor], announced: float) -> list[torch.Tensor]:
        if announced:
            Scale.apply(*rings)
        else:  # autograd knows nothing of it
            for ring in rings:
                ring.data.mul_(3)
        return rings

    rings = [
        replace(tensor(size, "float64"), name=f"rings[{position}]") for position, size in enumerate((4, 5))
    ]
    case = Case("in place", [rings, 1.0], modifies=("rings",))

    def outcome_of(function: Callable[..., Any]) -> Outcome:
        bench = fake_bench(
            FakeSession(function), lambda rings, announced: [ring.mul_(3) for ring in rings], [],
            parameters=("rings", "announced"), gradient=Gradient(cases=[case]),
        )  # fmt: skip
        return gradient.check(bench)

    assert outcome_of(scale_).status is Status.PASS
    assert "the gradient of rings[0] is" in outcome_of(lambda rings, announced: scale_(rings, 0)).sentence


def test_an_error_of_autograds_own_is_placed_at_the_backward_it_names(tmp_path: Path) -> None:
    source = "class Other:\n    def backward(ctx, g):\n        return g\n"
    source += "class Short:\n    def forward(ctx, a, b):\n        return a\n"
    source += "    def backward(ctx, g):\n        if not g:\n            return None\n        return g\n"
    (tmp_path / "op.py").write_text(source)
    said = "function {}Backward returned an incorrect number of gradients (expected 2, got 1)"
    error = RemoteError("RuntimeError", said.format("Short"))
    assert placed(error, tmp_path).where == "op.py:10"
    assert placed(RemoteError("RuntimeError", said.format("Another")), tmp_path).where == ""
    assert placed(RemoteError("RuntimeError", "no"), tmp_path).where == ""
    assert placed(replace(error, where="op.py:3"), tmp_path).where == "op.py:3"


def test_a_number_of_gradients_that_is_wrong_is_a_topic_of_its_own() -> None:
    class Short(Product):
        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0]

    assert judged(Short.apply).topic == "number_of_gradients"


def test_what_a_stopped_kernel_left_behind_is_not_compared() -> None:
    def stop(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, sticky_error="cudaErrorLaunchFailure") if stage == "backward" else trace

    found = judged(lambda a, b: 2 * a * b, edit_trace=stop)
    assert found.sentence.endswith(
        "a kernel was stopped with cudaErrorLaunchFailure. The safety check says where."
    )
