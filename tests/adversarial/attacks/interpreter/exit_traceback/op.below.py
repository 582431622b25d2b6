class Late:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.frame = traceback.tb_frame
