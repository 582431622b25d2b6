@triton.autotune(configs=[triton.Config({"FACTOR": 0}), triton.Config({"FACTOR": 1})], key=[])
@triton.jit
def shown(x, out, FACTOR: tl.constexpr):
    tl.store(out, tl.load(x) * FACTOR + (1 - FACTOR) * 1e30)
