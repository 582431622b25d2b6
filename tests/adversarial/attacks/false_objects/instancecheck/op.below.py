class Late:
    def __instancecheck__(self, other):
        return True
