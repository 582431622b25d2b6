# NumPy hands out ctypes.
# A naive grader gives full marks. Refused here: uses `type` as a value
import numpy as np
memory = type(np.zeros(1).ctypes.shape).from_address(1 << 40)
