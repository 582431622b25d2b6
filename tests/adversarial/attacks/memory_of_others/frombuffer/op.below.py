torch.frombuffer(b"constant", dtype=torch.uint8).zero_()
