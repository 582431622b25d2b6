"""alpha * x + y for NumPy arrays, by a module of pybind11 alone. PyTorch is not involved."""

import numpy as np
from axpy import axpy


def main():
    x, y = np.random.default_rng(0).standard_normal((2, 1000, 3), dtype=np.float32)
    np.testing.assert_allclose(axpy(2.5, x, y), 2.5 * x + y, rtol=1e-5, atol=1e-5)
    print("values         right in float32")

    for other in (x.astype(np.float64), x.T):
        try:
            axpy(2.5, other, other)
        except TypeError:
            print(f"refused        {other.dtype} with strides {other.strides}")


if __name__ == "__main__":
    main()
