class Mine:
    def change(self):
        self.cpu = None

Mine.change(torch.Tensor)
