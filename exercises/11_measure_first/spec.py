"""A benchmark, judged by planted workloads: what they take is drawn for every verdict."""

import torch

from grader.specification import Case, Pair, Workload, Workloads, tensor

# What report() measures; the kernel is given, and not graded.
ENTRY = "bias_gelu"
MEBI = 1 << 20


def reference(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x + bias, approximate="tanh")


CASES = [
    Case("a matrix", [tensor((9, 31), low=-4, high=4), tensor(31)]),
    Case("no rows", [tensor((0, 8)), tensor(8)]),
]

FIXED_SIZES = "The kernel is given and not graded; how long planted calls take is drawn for every verdict."

# The factors of five calls: the median is 1, the mean about 1.9, and the fastest call 0.7.
UNEVEN = (0.7, 5.6, 1.0, 0.85, 1.3)

# The host's factors. The median is 1. The mean is so large that a device with a head start of the median in
# every round, does not fall far enough behind for the two long calls.
INTERRUPTED = (1.0, 2.2, 1.0, 2.0, 1.0)

WORKLOADS = Workloads(
    "measure",
    [
        Workload(
            "a long kernel",
            judged=["median_ms"],
            points=15,
            device_us=(1500, 4000),
            host_us=(20, 40),
        ),
        Workload(
            "a call that returns early",
            judged=["host_ms"],
            points=10,
            device_us=(1500, 4000),
            host_us=(120, 300),
        ),
        Workload(
            "a costly first call",
            judged=["first_ms"],
            points=10,
            device_us=(1000, 2000),
            first_us=(20_000, 40_000),
            slow_calls=1,
            slow_factor=(4, 6),
            earlier_us=(60_000, 80_000),
        ),
        Workload(
            "slow until it is warm",
            judged=["median_ms", "host_ms"],
            points=10,
            device_us=(300, 900),
            host_us=(120, 300),
            slow_calls=10,
            slow_factor=(3, 5),
        ),
        Workload(
            "data that stay in L2",
            judged=["median_ms"],
            points=10,
            device_us=(300, 500),
            cached=0.6,
        ),
        Workload(
            "a host slower than the device",
            judged=["median_ms", "high_ms"],
            points=10,
            device_us=(40, 60),
            launches=4,
            host_us=(180, 300),
            host_pattern=INTERRUPTED,
        ),
        Workload(
            "calls that differ",
            judged=["median_ms", "low_ms", "high_ms"],
            points=10,
            device_us=(300, 900),
            pattern=UNEVEN,
        ),
        Workload(
            "on a side stream",
            judged=["median_ms"],
            points=5,
            device_us=(300, 900),
            stream="side",
        ),
        Workload(
            "memory at its peak",
            judged=["peak_bytes"],
            points=10,
            temporary_bytes=(6 * MEBI, 10 * MEBI),
            result_bytes=(4 * MEBI, 6 * MEBI),
            kept_bytes=(20 * MEBI, 24 * MEBI),
            peak_before=(50 * MEBI, 60 * MEBI),
        ),
    ],
    compare="compare",
    pairs=[
        Pair(
            "one call beside another",
            points=10,
            call=Workload("", judged=["median_ms"], device_us=(200, 300), result_bytes=2 * MEBI),
            baseline=Workload(
                "",
                judged=["median_ms"],
                device_us=(500, 900),
                result_bytes=2 * MEBI,
                temporary_bytes=(4 * MEBI, 8 * MEBI),
            ),
            bytes_moved=(1e8, 4e8),
        ),
    ],
    warm_up=10,
    rounds=10,
)


def traffic(x: torch.Tensor, bias: torch.Tensor) -> int:
    """Read x and bias, write out."""
    return (2 * x.numel() + bias.numel()) * x.element_size()


def flops(x: torch.Tensor, bias: torch.Tensor) -> int:
    """As in 07: 9 operations and one tanh."""
    return 9 * x.numel()


PROFILE = Case("128 rows of 512", [tensor((128, 512)), tensor(512)])
