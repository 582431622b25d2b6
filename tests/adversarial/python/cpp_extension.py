# A second library, compiled past the audit.
# A naive grader gives full marks. Refused here: imports `torch.utils.cpp_extension.load_inline`
from torch.utils.cpp_extension import load_inline
