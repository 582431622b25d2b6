"""Models on the simulated device: modules, training, autocast, recurrent layers, attention, activation."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.tests.device.process import on_device

ROOT = Path(__file__).resolve().parents[2]


@on_device
def test_a_model_trains_as_on_the_cpu() -> None:
    import torch
    from torch import nn

    torch.manual_seed(0)
    host = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))
    device = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3)).cuda()
    device.load_state_dict(host.state_dict())
    assert {p.device for p in device.parameters()} == {torch.device("cuda:0")}
    x, target = torch.randn(10, 6), torch.randint(3, (10,))
    losses = []
    for model, place in ((host, "cpu"), (device, "cuda")):
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
        for _ in range(4):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x.to(place)), target.to(place))
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


@on_device
def test_convolutions_and_normalisation() -> None:
    import torch
    from torch import nn

    torch.manual_seed(0)
    layers = nn.Conv2d(4, 8, 3, groups=4), nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 2, 2)
    host = nn.Sequential(*layers)
    x = torch.randn(2, 4, 6, 6)
    expected = host(x)
    expected.sum().backward()
    gradient = host[0].weight.grad.clone()
    host.zero_grad()
    device = host.cuda()
    y = device(x.cuda())
    y.sum().backward()
    torch.testing.assert_close(y.cpu(), expected)
    torch.testing.assert_close(device[0].weight.grad.cpu(), gradient)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@on_device
def test_recurrent_layers(kind: str) -> None:
    import torch
    from torch import nn

    torch.manual_seed(1)
    layer = getattr(nn, kind)(5, 4, num_layers=2, bidirectional=True).double()
    x = torch.randn(3, 2, 5, dtype=torch.float64, requires_grad=True)
    expected = layer(x)[0]
    expected.square().sum().backward()
    weights = [p.grad.clone() for p in layer.parameters()]
    layer.zero_grad()
    layer.cuda()
    y = x.detach().cuda().requires_grad_()
    out = layer(y)[0]
    out.square().sum().backward()
    torch.testing.assert_close(out.cpu(), expected)
    torch.testing.assert_close(y.grad.cpu(), x.grad)
    for parameter, weight in zip(layer.parameters(), weights, strict=True):
        torch.testing.assert_close(parameter.grad.cpu(), weight)


@on_device
def test_attention_and_rms_norm() -> None:
    from functools import partial

    import torch
    from torch.nn import functional

    q = torch.randn(2, 3, 7, 8, requires_grad=True)
    d = q.detach().cuda().requires_grad_()
    for causal in (False, True):
        attend = partial(functional.scaled_dot_product_attention, is_causal=causal)
        torch.testing.assert_close(attend(d, d, d).cpu(), attend(q, q, q))
    functional.rms_norm(q, (8,)).square().sum().backward()
    functional.rms_norm(d, (8,)).square().sum().backward()
    torch.testing.assert_close(d.grad.cpu(), q.grad)


@on_device
def test_autocast_and_grad_scaling() -> None:
    import torch

    a = torch.randn(4, 4, device="cuda", requires_grad=True)
    with torch.autocast("cuda", dtype=torch.float16):
        y = a @ a
        probabilities = y.softmax(0)
        assert y.dtype == torch.float16 and probabilities.dtype == torch.float32
        loss = torch.nn.functional.cross_entropy(y, torch.arange(4, device="cuda"))
    (probabilities.square().sum() + loss).backward()
    assert a.grad.dtype == torch.float32 and a.grad.isfinite().all()
    scaler = torch.amp.GradScaler("cuda")
    optimizer = torch.optim.SGD([a], lr=0.1)
    before = a.detach().clone()
    a.grad = None
    scaler.scale((a * a).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    torch.testing.assert_close(a.detach().cpu(), before.cpu() * 0.8)


@on_device
def test_custom_fwd_and_custom_bwd() -> None:
    import torch

    seen = {}

    class Double(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float16)
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            seen["dtype"], seen["autocast"] = x.dtype, torch.is_autocast_enabled("cuda")
            return x * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type="cuda")
        def backward(ctx, cotangent):  # type: ignore[no-untyped-def]
            return cotangent * 2

    with torch.autocast("cuda"):
        Double.apply(torch.ones(2, device="cuda", requires_grad=True)).sum().backward()
        assert seen == {"dtype": torch.float16, "autocast": False}


@on_device
def test_checkpointing_replays_dropout() -> None:
    import torch
    from torch.utils.checkpoint import checkpoint

    x = torch.ones(200, device="cuda", requires_grad=True)
    y = checkpoint(lambda t: torch.nn.functional.dropout(t * 1), x, use_reentrant=False)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


@on_device
def test_profiler_and_ranges() -> None:
    import torch
    from torch.profiler import ProfilerActivity, profile

    x = torch.ones(64, 64, device="cuda")
    both = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=both) as trace, torch.cuda.nvtx.range("mm"):
        x @ x
    times = {event.key: event.device_time_total for event in trace.key_averages()}
    assert times["aten::mm"] > 0


@on_device
def test_activation_is_idempotent_and_reported() -> None:
    from cusimt import activate

    activate.activate()
    assert activate.driver().simt_device_count() == 2


def run(script: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_activation_after_torch_is_refused() -> None:
    done = run("import torch\nfrom cusimt import activate\nactivate.activate()")
    assert done.returncode == 1
    assert "The simulated device cannot be added: torch is already imported." in done.stderr


def test_a_plain_process_stays_plain() -> None:
    done = run("import cusimt.activate, cusimt.device, sys; print('torch' in sys.modules)")
    assert done.stdout.strip() == "False"


def test_hidden_gpus_do_not_hide_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done = run(
        "from cusimt.activate import activate; activate(); import json, torch\n"
        "print(json.dumps([torch.cuda.is_available(), torch.cuda.device_count()]))"
    )
    assert json.loads(done.stdout) == [True, 2]
    assert done.stderr == ""
