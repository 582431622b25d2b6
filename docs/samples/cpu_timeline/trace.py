"""Writes a timeline of a small training step: python trace.py [FILE]. Open the file at https://ui.perfetto.dev."""

import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function

BATCHES = 4


def prepare(batch: int) -> torch.Tensor:
    """Work in plain Python, which no operator of PyTorch shows."""
    return torch.tensor([[(row * column + batch) % 7 / 7 for column in range(64)] for row in range(64)])


def step(model: torch.nn.Module, batch: int, device: str) -> None:
    with record_function("prepare"):  # a name of our own on the timeline
        x = prepare(batch).to(device)
    with record_function("forward"):
        loss = model(x).square().mean()
    with record_function("backward"):
        loss.backward()


def main(file: str = "trace.json") -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 1)).to(device)
    step(model, 0, device)  # the first call loads, allocates and compiles
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device == "cuda")
    with profile(activities=activities) as profiler:
        for batch in range(BATCHES):
            step(model, batch, device)
    profiler.export_chrome_trace(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
