# A view of memory beyond the array.
# A naive grader gives full marks. Refused here: uses `numpy.lib`
import numpy as np
view = np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 20,))
