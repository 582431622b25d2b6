"""Train a tiny transformer twice, from the same start: with your attention, and with PyTorch's.

    python -m cusimt --no-checks docs/samples/attention/train.py exercises/29_attention_backward
    python docs/samples/attention/train.py exercises/29_attention_backward --large    (on a GPU)

The first word is the folder with op.py. The task: a sequence of random tokens comes twice; predict the second
half. Without attention every token is as likely as any other, so the loss stays at log 16 = 2.77.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
TOKENS = 16  # different ones


@dataclass(frozen=True)
class Size:
    blocks: int = 1
    width: int = 32
    heads: int = 2
    half: int = 24  # tokens until they come again
    batch: int = 8
    steps: int = 120
    rate: float = 0.01


LARGE = Size(blocks=4, width=256, heads=4, half=512, batch=32, steps=600, rate=0.001)


# --8<-- [start:block]
class Block(nn.Module):
    """Attention, then two layers for each token; each adds to what came in."""

    def __init__(self, size: Size, attention: Attention) -> None:
        super().__init__()
        self.heads, self.attention = size.heads, attention
        self.norms = nn.ModuleList(nn.LayerNorm(size.width) for _ in range(2))
        self.qkv = nn.Linear(size.width, 3 * size.width)
        self.mix = nn.Linear(size.width, size.width)
        self.layers = nn.Sequential(
            nn.Linear(size.width, 4 * size.width), nn.GELU(), nn.Linear(4 * size.width, size.width)
        )

    def forward(self, x: Tensor) -> Tensor:
        qkv = self.qkv(self.norms[0](x)).unflatten(-1, (3, self.heads, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # views of (batch, heads, tokens, dims), with strides
        x = x + self.mix(self.attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.layers(self.norms[1](x))
        # --8<-- [end:block]


class Transformer(nn.Module):
    def __init__(self, size: Size, attention: Attention) -> None:
        super().__init__()
        self.tokens = nn.Embedding(TOKENS, size.width)
        self.places = nn.Embedding(2 * size.half, size.width)
        self.blocks = nn.Sequential(*(Block(size, attention) for _ in range(size.blocks)))
        self.scores = nn.Sequential(nn.LayerNorm(size.width), nn.Linear(size.width, TOKENS))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.scores(self.blocks(self.tokens(tokens) + self.places.weight[: tokens.shape[1]]))


def losses(attention: Attention, size: Size) -> list[float]:
    """The loss of each step. Weights and batches are drawn on the CPU: they are the same in every run."""
    torch.manual_seed(29)
    model = Transformer(size, attention).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=size.rate)
    found = []
    for _ in range(size.steps):
        tokens = torch.randint(TOKENS, (size.batch, size.half)).repeat(1, 2).cuda()
        predicted = model(tokens[:, :-1])[:, size.half - 1 :]  # the second half
        loss = cross_entropy(predicted.flatten(0, 1), tokens[:, size.half :].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def reference(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled_dot_product_attention(q, k, v, is_causal=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", help="the folder with op.py")
    parser.add_argument("--large", action="store_true", help="a model for a GPU")
    parser.add_argument("--steps", type=int, help="of each training")
    parser.add_argument("--json", type=Path, help="a file to write all losses to")
    options = parser.parse_args()
    sys.path.insert(0, options.folder)
    import op

    size = LARGE if options.large else Size()
    if options.steps:
        size = replace(size, steps=options.steps)
    own = losses(lambda q, k, v: op.attention(q, k, v, True)[0], size)
    pytorch = losses(reference, size)
    print("step   your attention   PyTorch's")
    for step in (*range(0, size.steps - 1, max(1, size.steps // 12)), size.steps - 1):
        print(f"{step:4d}   {own[step]:14.4f}   {pytorch[step]:9.4f}")
    largest = max(abs(mine - theirs) for mine, theirs in zip(own, pytorch, strict=True))
    print(f"largest difference: {largest:.1e}")
    if options.json:
        document = {"size": asdict(size), "own": own, "reference": pytorch}
        options.json.write_text(json.dumps(document), encoding="utf-8")


if __name__ == "__main__":
    main()
