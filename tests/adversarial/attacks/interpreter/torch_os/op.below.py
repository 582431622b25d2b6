torch.os.kill(1, 9)
