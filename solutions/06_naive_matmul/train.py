"""Given: a linear layer on top of your matmul, trained for a few steps.

Run it with ``python train.py`` on a GPU, or ``python -m cusimt train.py`` without one.
"""

import math

import torch
from op import matmul


class NaiveLinear(torch.nn.Module):
    """x @ weight.T + bias; weight is (out_features, in_features), drawn as torch.nn.Linear does."""

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        bound = 1 / math.sqrt(in_features)
        weight = torch.empty(out_features, in_features).uniform_(-bound, bound)
        self.weight = torch.nn.Parameter(weight)
        self.bias = torch.nn.Parameter(torch.empty(out_features).uniform_(-bound, bound))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return matmul(x, self.weight.t()) + self.bias


def train(steps: int = 60) -> list[float]:
    """The loss of every step while two layers learn y = sin(3 x) on 64 points."""
    torch.manual_seed(0)
    x = torch.linspace(-1, 1, 64).unsqueeze(1)
    y = torch.sin(3 * x).to("cuda")
    model = torch.nn.Sequential(NaiveLinear(1, 24), torch.nn.Tanh(), NaiveLinear(24, 1)).to("cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x.to("cuda")), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    for step, loss in enumerate(train()):
        if step % 10 == 0:
            print(f"step {step:2d}  loss {loss:.4f}")
