found = torch.nn.functional.torch.os
