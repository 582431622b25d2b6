"""What a session sends is what the submission sees, and what it returns is what comes back."""

from __future__ import annotations

import errno
import math
import os
from pathlib import Path

import pytest
import torch
from torch import Tensor

from grader.run import CallLost, ProtocolViolation, TensorArg, Zygote
from grader.run.connection import Connection
from grader.run.session import Session
from grader.run.shared_memory import Segment
from grader.support.errors import InfrastructureError
from tests.adversarial.submissions import Load, arg, assert_serves, load, zygote

__all__ = ["load", "zygote"]

GEOMETRY = """
import torch, numpy
def describe(a):
    base = a.untyped_storage()
    return (repr(list(a.shape)), repr(list(a.stride())), a.storage_offset(), str(a.dtype), base.nbytes(),
            a.is_leaf, a.requires_grad, a._is_view(), a)
def storage(a):
    return torch.empty(0, dtype=torch.uint8).set_(a.untyped_storage())
"""

BASE = torch.arange(24, dtype=torch.float32)


def _one(session: Session, entry: str, *args: object) -> Tensor:
    reply = session.call(entry, list(args))  # type: ignore[arg-type]
    assert reply.error is None, reply.error
    assert reply.outputs[-1].tensor is not None
    return reply.outputs[-1].tensor


@pytest.mark.parametrize(
    "tensor",
    [
        BASE,
        BASE.view(4, 6),
        BASE.view(4, 6).t(),
        BASE.view(4, 6)[1:, ::2],
        BASE.view(4, 6)[:, 3:4].expand(4, 5),
        BASE[5],
        BASE[7:7],
        torch.empty(0, 3),
        torch.tensor(3.0),
        BASE.view(2, 3, 4).permute(2, 0, 1)[1:],
        BASE.to(torch.float64).view(4, 6).t(),
        BASE.to(torch.bfloat16),
        BASE.to(torch.float16)[3:],
        BASE.to(torch.int64)[::3],
        BASE.to(torch.uint8),
        BASE > 7,
        torch.complex(BASE, -BASE),
    ],
    ids=lambda tensor: (
        f"{str(tensor.dtype)[6:]}-{list(tensor.shape)}-{tensor.stride()}-{tensor.storage_offset()}"
    ),
)
def test_the_worker_sees_exactly_this_tensor(load: Load, tensor: Tensor) -> None:
    session = load(GEOMETRY)
    reply = session.call("describe", [TensorArg(tensor)])
    assert reply.error is None
    shape, strides, offset, dtype, nbytes, leaf, requires_grad, view, _ = (out.value for out in reply.outputs)
    assert (shape, strides) == (str(list(tensor.shape)), str(list(tensor.stride())))
    assert (offset, dtype) == (tensor.storage_offset(), str(tensor.dtype))
    assert nbytes == tensor.untyped_storage().nbytes()
    assert (leaf, requires_grad, view) == (True, False, False)
    returned = reply.outputs[-1]
    assert returned.tensor is not None
    assert torch.equal(returned.tensor, tensor)
    assert returned.tensor.dtype == tensor.dtype
    assert (returned.shape, returned.strides) == (tuple(tensor.shape), tensor.stride())
    if tensor.dtype == torch.float32:
        every = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())
        assert torch.equal(_one(session, "storage", TensorArg(tensor)), every)


def test_a_large_view_of_little_travels_as_its_elements(load: Load) -> None:
    session = load(GEOMETRY)
    distance = 2**31 + 8
    storage = torch.empty(distance + 8, dtype=torch.uint8)  # two resident pages of two gigabytes
    rows = storage.as_strided((2, 4), (distance, 1), 3)
    rows.copy_(torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]]))
    reply = session.call("describe", [TensorArg(rows, name="rows")])
    assert reply.error is None
    assert reply.outputs[1].value == f"[{distance}, 1]"
    assert reply.outputs[2].value == 3
    assert reply.outputs[-1].tensor is not None
    assert reply.outputs[-1].tensor.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert session.changed_inputs() == ()
    assert session.inputs()[0].tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


def test_numpy_arrays_keep_their_strides(load: Load) -> None:
    session = load(
        """
        import numpy
        def look(a):
            assert isinstance(a, numpy.ndarray)
            return a.strides.__repr__(), str(a.dtype), a.flags.writeable, a
        def backwards(a): return a[::-1]
        def halve(a): a /= 2
        def scalar(a): return a.max()
        """
    )
    strided = TensorArg(BASE.view(4, 6)[:, 1::2], "numpy", name="a")
    reply = session.call("look", [strided])
    assert [out.value for out in reply.outputs[:3]] == ["(24, 8)", "float32", True]
    assert reply.outputs[3].kind == "numpy"
    assert reply.outputs[3].alias == "a"
    assert reply.outputs[3].device == "numpy"
    assert torch.equal(reply.outputs[3].tensor, strided.tensor)  # type: ignore[arg-type]
    reversed_ = session.call("backwards", [strided]).outputs[0]
    assert reversed_.strides == (-6, 2)
    assert torch.equal(reversed_.tensor, strided.tensor.flip(0))  # type: ignore[arg-type]
    assert session.call("scalar", [strided]).outputs[0].value == 23.0
    assert session.call("halve", [strided]).outputs[0].kind == "none"
    assert session.changed_inputs() == ("a",)
    assert torch.equal(session.inputs()[0], strided.tensor / 2)
    assert strided.tensor[0, 0] == 1.0  # only the worker's copy changed


def test_plain_arguments_and_lists_arrive_as_they_are(load: Load) -> None:
    session = load(
        "def echo(*args):\n"
        "    return repr([[float(x) for x in a] if isinstance(a, list) else a for a in args])\n"
    )
    reply = session.call("echo", [1, -2.5, True, None, "text", [arg(1.0), arg(2.0)]])
    assert reply.outputs[0].value == "[1, -2.5, True, None, 'text', [1.0, 2.0]]"
    reply = session.call("echo", [math.inf, math.nan])
    assert reply.outputs[0].value == "[inf, nan]"


def test_every_kind_of_result_is_told_apart(load: Load) -> None:
    session = load(
        """
        import torch
        def many(a):
            return [a, a[1:], a + 1, None, 3, 2.5, True, "s", {1: 2}, float("nan"),
                    torch.ones(2, 2).to_sparse(), torch.empty(3, device="meta"), torch.ones(1).expand(4)]
        def single(a): return a
        def pair(a): return a, None
        """
    )
    reply = session.call("many", [arg(1.0, 2.0)])
    assert reply.returned == "list"
    kinds = [(out.kind, out.type, out.value) for out in reply.outputs]
    assert kinds[:3] == [("tensor", "Tensor", None)] * 3
    assert [out.alias for out in reply.outputs[:3]] == ["a", "a", ""]
    assert kinds[3:10] == [
        ("none", "NoneType", None), ("other", "int", 3), ("other", "float", 2.5), ("other", "bool", True),
        ("other", "str", "s"), ("other", "dict", None), ("other", "float", "nan"),
    ]  # fmt: skip
    assert kinds[10][0] == "other" and "sparse" in kinds[10][1]
    assert kinds[11][0] == "other" and "meta" in kinds[11][1]
    assert reply.outputs[12].strides == (0,)
    assert reply.outputs[12].tensor is not None and reply.outputs[12].tensor.tolist() == [1.0] * 4
    assert session.call("single", [arg(1.0)]).returned == "value"
    assert session.call("pair", [arg(1.0)]).returned == "tuple"


def test_errors_name_type_message_and_the_innermost_learner_line(load: Load) -> None:
    session = load(
        """
        import torch
        def inner(a):
            return torch.mm(a, a)
        def outer(a):
            return inner(a)
        not_callable = 3
        """
    )
    error = session.call("outer", [arg(1.0)]).error
    assert error is not None
    assert (error.type, error.where) == ("RuntimeError", "op.py:4")
    assert error.callers == ("op.py:6",)
    assert error.message == "self must be a matrix"
    missing = session.call("absent", []).error
    assert missing is not None and missing.message == "`op.py` has no `absent`"
    value = session.call("not_callable", []).error
    assert value is not None and value.type == "TypeError"


def test_changed_inputs_are_named_also_between_the_elements(load: Load) -> None:
    session = load(
        """
        import torch
        def keep(a, b): return a + b
        def change(a, b):
            b.add_(1)
        def change_gap(a, b):
            b.as_strided((1,), (1,), 1).fill_(99)
        def nan_to_nan(a, b):
            b.copy_(b.clone())
        """
    )
    gapped = TensorArg(torch.arange(8, dtype=torch.float64)[::2], name="b")
    nan = TensorArg(torch.tensor([math.nan, -0.0]), name="b")
    first = TensorArg(torch.zeros(4, dtype=torch.float64), name="a")
    for entry, second, changed in [
        ("keep", gapped, ()),
        ("change", gapped, ("b",)),
        ("change_gap", gapped, ("b",)),
        ("nan_to_nan", nan, ()),
    ]:
        assert session.call(entry, [first, second]).error is None
        assert session.changed_inputs() == changed, entry
    session.call("change", [first, gapped])
    assert session.inputs()[1].tolist() == [1.0, 3.0, 5.0, 7.0]
    assert session.inputs()[0].tolist() == [0.0] * 4


FUNCTION = """
import torch
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(a, b)
        return a * b, a + b
    @staticmethod
    def backward(ctx, gp, gs):
        seen.append((gp is None, gs is None, *ctx.needs_input_grad))
        a, b = ctx.saved_tensors
        ga = gb = None
        if gp is not None: ga, gb = gp * b, gp * a
        if gs is not None: ga, gb = (gs if ga is None else ga + gs), (gs if gb is None else gb + gs)
        return ga if ctx.needs_input_grad[0] else None, gb if ctx.needs_input_grad[1] else None
seen = []
def product(a, b): return Product.apply(a, b)
def last_seen(): return repr(seen[-1])
def detached(a): return a.detach()
def unused(a, b): return a * 2
def fails(a): return Fails.apply(a)
class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.clone()
    @staticmethod
    def backward(ctx, g): raise ValueError("no gradient today")
"""


def _grad_args(*needs: bool) -> list[TensorArg]:
    generator = torch.Generator().manual_seed(5)
    return [
        TensorArg(torch.randn(3, 2, generator=generator, dtype=torch.float64), requires_grad=need, name=name)
        for need, name in zip(needs, "ab", strict=True)
    ]


IN_PLACE = """
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, factor, *tensors):
        ctx.factor = factor
        ctx.mark_dirty(*tensors)
        for tensor in tensors:
            tensor.mul_(factor)
        return tensors
    @staticmethod
    def backward(ctx, *grads):
        grads[0].mul_(ctx.factor)
        return None, *(grad * ctx.factor if number else grad for number, grad in enumerate(grads))
def scale_(tensors, factor):
    assert [tensor.is_leaf for tensor in tensors] == [False, True]
    Scale.apply(factor, *tensors)
    return tensors
"""


def test_what_is_changed_in_place_comes_as_a_copy_of_its_leaf(load: Load) -> None:
    session = load(IN_PLACE)
    tensors = [TensorArg(torch.ones(3), "cpu", True, "x[0]"), TensorArg(torch.ones(2), "cpu", False, "x[1]")]
    reply = session.call("scale_", [tensors, 3.0], grad=True, in_place=("x",))
    assert reply.error is None, reply.error
    assert [output.tensor.tolist() for output in reply.outputs if output.tensor is not None] == [
        [3.0] * 3,
        [3.0] * 2,
    ]
    assert session.changed_inputs() == ("x[1]",)  # the leaf is as it was
    assert reply.handle is not None
    back = session.backward(reply.handle, [torch.ones(3), torch.ones(2)])
    assert [output.name for output in back.outputs] == ["x[0]"]
    assert back.outputs[0].tensor is not None
    assert back.outputs[0].tensor.tolist() == [3.0] * 3
    assert session.changed_inputs() == ("cotangent 0",)
    assert session.inputs()[0].tolist() == [3.0] * 3


def test_undefined_cotangents_travel_as_undefined(load: Load) -> None:
    session = load(FUNCTION)
    a, b = _grad_args(True, True)
    handle = session.call("product", [a, b], grad=True).handle
    assert handle is not None
    cotangent = torch.rand(3, 2, dtype=torch.float64)
    first = session.backward(handle, [cotangent, None])
    assert session.call("last_seen", []).outputs[0].value == "(False, True, True, True)"
    assert [out.name for out in first.outputs] == ["a", "b"]
    assert torch.equal(first.outputs[0].tensor, cotangent * b.tensor)  # type: ignore[arg-type]
    assert torch.equal(first.outputs[1].tensor, cotangent * a.tensor)  # type: ignore[arg-type]
    second = session.backward(handle, [None, cotangent])
    assert session.call("last_seen", []).outputs[0].value == "(True, False, True, True)"
    assert torch.equal(second.outputs[0].tensor, cotangent)  # type: ignore[arg-type]
    assert second.outputs[0].alias == "cotangent 1"
    neither = session.backward(handle, [None, None])
    assert [out.kind for out in neither.outputs] == ["none", "none"]


MODES = """
import torch
seen = []
class Watched(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        seen.append(torch.are_deterministic_algorithms_enabled())
        return a * 1
    @staticmethod
    def backward(ctx, g):
        seen.append(torch.are_deterministic_algorithms_enabled())
        return g * 1
def watched(a): return Watched.apply(a)
def all_seen(): return repr(seen)
def stays(a):
    torch.use_deterministic_algorithms(True)
    return a * 1
"""


def test_deterministic_mode_holds_for_a_call_and_for_the_backward_of_its_graph(load: Load) -> None:
    session = load(MODES)
    a, _ = _grad_args(True, False)
    first = session.call("watched", [a], grad=True, deterministic=True)
    second = session.call("watched", [a], grad=True)
    assert first.handle is not None and second.handle is not None
    ones = torch.ones(3, 2, dtype=torch.float64)
    for handle in (first.handle, second.handle):
        assert session.backward(handle, [ones]).error is None
    assert session.call("all_seen", []).outputs[0].value == "[True, False, True, False]"


def test_a_call_leaves_no_mode_behind(load: Load) -> None:
    session = load(MODES)
    a, _ = _grad_args(False, False)
    assert session.call("stays", [a]).error is None
    session.call("watched", [a])
    assert session.call("all_seen", []).outputs[0].value == "[False]"


def test_only_wanted_gradients_are_asked_for(load: Load) -> None:
    session = load(FUNCTION)
    reply = session.call("product", _grad_args(False, True), grad=True)
    assert [out.requires_grad for out in reply.outputs] == [True, True]
    assert reply.handle is not None
    ones = torch.ones(3, 2, dtype=torch.float64)
    gradients = session.backward(reply.handle, [ones, ones])
    assert [out.name for out in gradients.outputs] == ["b"]
    assert session.call("last_seen", []).outputs[0].value == "(False, False, False, True)"


def test_a_gradient_may_be_none_and_a_graph_absent(load: Load) -> None:
    session = load(FUNCTION)
    a, b = _grad_args(True, True)
    reply = session.call("unused", [a, b], grad=True)
    assert reply.handle is not None
    gradients = session.backward(reply.handle, [torch.ones(3, 2, dtype=torch.float64)])
    assert [out.kind for out in gradients.outputs] == ["tensor", "none"]
    assert session.call("detached", [a], grad=True).handle is None
    assert session.call("product", [a, b], grad=False).handle is None


def test_cotangents_keep_their_strides(load: Load) -> None:
    session = load(FUNCTION.replace("seen.append((", "seen.append((gp.stride(), "))
    reply = session.call("product", _grad_args(True, True), grad=True)
    assert reply.handle is not None
    expanded = torch.tensor(2.0, dtype=torch.float64).expand(3, 2)
    session.backward(reply.handle, [expanded, None])
    assert str(session.call("last_seen", []).outputs[0].value).startswith("((0, 0),")


def test_an_error_in_backward_is_told_with_its_line(load: Load) -> None:
    session = load(FUNCTION)
    reply = session.call("fails", [_grad_args(True, True)[0]], grad=True)
    assert reply.handle is not None
    error = session.backward(reply.handle, [torch.ones(3, 2, dtype=torch.float64)]).error
    assert error is not None
    assert (error.type, error.message) == ("ValueError", "no gradient today")
    lines = FUNCTION.splitlines()
    assert error.where == f"op.py:{next(i for i, line in enumerate(lines, 1) if 'no gradient' in line)}"


def test_gradcheck_of_a_remote_function(load: Load) -> None:
    session = load(FUNCTION)

    class Remote(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a: Tensor, b: Tensor):  # type: ignore[no-untyped-def]
            ctx.set_materialize_grads(False)
            args = [TensorArg(a.detach(), requires_grad=True), TensorArg(b.detach(), requires_grad=True)]
            reply = session.call("product", args, grad=True, trace=False)
            ctx.handle = reply.handle
            return tuple(out.tensor for out in reply.outputs)

        @staticmethod
        def backward(ctx, *cotangents: Tensor | None):  # type: ignore[no-untyped-def]
            reply = session.backward(ctx.handle, cotangents, trace=False)
            return tuple(out.tensor for out in reply.outputs)

    a, b = (arg.tensor.requires_grad_() for arg in _grad_args(True, True))
    assert torch.autograd.gradcheck(Remote.apply, (a, b))


def test_a_released_graph_is_gone(load: Load) -> None:
    session = load(FUNCTION)
    args = _grad_args(True, True)
    ones = torch.ones(3, 2, dtype=torch.float64)
    released, kept = (session.call("product", args, grad=True).handle for _ in range(2))
    assert released is not None and kept is not None
    session.release(released)
    assert session.backward(kept, [ones, ones]).error is None
    gone = session.backward(released, [ones, ones])
    assert gone.error is not None and gone.error.type == "KeyError"


def test_what_died_with_its_worker_is_lost(load: Load) -> None:
    session = load(FUNCTION + "\nimport os\ndef die(): os._exit(1)\n")
    handle = session.call("product", _grad_args(True, True), grad=True).handle
    assert handle is not None
    with pytest.raises(Exception, match="exit code 1"):
        session.call("die", [])
    with pytest.raises(CallLost):
        session.backward(handle, [None, None])
    with pytest.raises(CallLost):
        session.changed_inputs()
    assert_serves(session)
    with pytest.raises(CallLost):  # also when another worker serves
        session.backward(handle, [None, None])
    session.release(handle)  # of a worker that is gone: nothing happens
    assert_serves(session)


def test_segments_grow_with_what_travels(load: Load) -> None:
    session = load("def twice(a): return a * 2, a * 4\n")
    large = torch.arange(6 * 2**20, dtype=torch.float64)  # 48 MiB in, 96 MiB out
    reply = session.call("twice", [TensorArg(large)])
    assert reply.error is None
    assert torch.equal(reply.outputs[0].tensor, large * 2)  # type: ignore[arg-type]
    assert torch.equal(reply.outputs[1].tensor, large * 4)  # type: ignore[arg-type]
    assert_serves(session)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.ENOMEM, errno.EMFILE])
def test_what_this_machine_lacks_is_no_fault_of_the_worker(
    load: Load, zygote: Zygote, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    session = load("def twice(a): return a * 2\n")
    lost = zygote.lost

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(Segment, "write", refuse)
        with pytest.raises(InfrastructureError, match="no submission loses points"):
            session.call("twice", [arg(3.0)])
    assert zygote.lost == lost
    assert_serves(session)


def test_a_connection_that_fails_is_the_workers(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    session = load("def twice(a): return a * 2\n")

    def refuse(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    with monkeypatch.context() as patched:
        patched.setattr(Connection, "_send", refuse)
        with pytest.raises(ProtocolViolation):
            session.call("twice", [arg(3.0)])


def test_a_check_runs_inside_beside_the_submission(load: Load, tmp_path: Path) -> None:
    check = tmp_path / "check.py"
    check.write_text("def compare(submission, a):\n    return submission.double(a) - a, a.requires_grad\n")
    session = load("")
    reply = session.run_inside(f"{check}:compare", [arg(4.0)])
    assert reply.error is None
    assert reply.outputs[0].tensor is not None and reply.outputs[0].tensor.tolist() == [4.0]


def test_a_second_submission_gets_a_worker_of_its_own(load: Load, tmp_path: Path) -> None:
    session = load("import os\ndef pid(): return os.getpid()\n")
    before = session.call("pid", []).outputs[0].value
    other = tmp_path / "other.py"
    other.write_text("import os\ndef pid(): return os.getpid()\n")
    session.load(None, other, tmp_path)
    assert session.call("pid", []).outputs[0].value != before


def test_the_learners_folder_stays_clean(load: Load, tmp_path: Path) -> None:
    session = load("import colorsys\ndef value(): return 3\n")
    assert session.call("value", []).outputs[0].value == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["op.py"]


def test_an_autocast_region_is_around_the_call_alone(load: Load) -> None:
    session = load(
        "import torch\n"
        "def product(a):\n"
        "    return torch.mm(a, a)\n"
        "def state(a):\n"
        "    return repr([torch.is_autocast_enabled(each) for each in ('cpu', 'cuda')])\n"
    )
    square = TensorArg(BASE[:16].view(4, 4), "cuda:0", name="a")
    for dtype in (torch.float16, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        inside = session.call("product", [square], autocast=name).outputs[0].tensor
        assert inside is not None and inside.dtype == dtype
    after = session.call("product", [square]).outputs[0].tensor
    assert after is not None and after.dtype == torch.float32
    assert session.call("state", [square]).outputs[0].value == "[False, False]"
