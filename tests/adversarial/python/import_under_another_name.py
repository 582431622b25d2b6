# A module under a short name.
# A naive grader gives full marks. Refused here: imports `torch.utils.cpp_extension`
import torch.utils.cpp_extension as e
