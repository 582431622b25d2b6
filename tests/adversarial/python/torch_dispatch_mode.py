# A mode sees and changes every operator.
# A naive grader gives full marks. Refused here: imports `torch.utils._python_dispatch.TorchDispatchMode`
from torch.utils._python_dispatch import TorchDispatchMode
