"""A kernel writes one element past the end of its tensor. Who notices?

    compute-sanitizer python overrun.py
    PYTORCH_NO_CUDA_MEMORY_CACHING=1 compute-sanitizer python overrun.py

The allocator rounds every block up to a multiple of 512 bytes and cuts small blocks from a segment of 2 MiB.
The element past the end is inside that segment: memcheck knows segments, not tensors. Without the cache it
may still be silent, where one allocation begins right behind the other.
"""

import torch
from torch.utils.cpp_extension import load_inline

KERNEL = """
#include <torch/types.h>

__global__ void fill_kernel(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] = 1.0f;  // the mistake: < n
}

void fill(at::Tensor x) { fill_kernel<<<1, 256>>>(x.data_ptr<float>(), x.numel()); }
"""


def main() -> None:
    overrun = load_inline("overrun", "void fill(at::Tensor x);", KERNEL, functions=["fill"])
    x = torch.zeros(128, device="cuda")  # 512 bytes: the block has no room to spare
    neighbour = torch.zeros(128, device="cuda")
    overrun.fill(x)
    torch.cuda.synchronize()
    print(f"x is {x.mean().item()}, and its neighbour's first element is {neighbour[0].item()}")


if __name__ == "__main__":
    main()
