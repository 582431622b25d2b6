torch.amp.autocast_mode.numpy.load('x')
