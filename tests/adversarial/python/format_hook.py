# A format string calls the submission.
# A naive grader gives full marks. Refused here: uses `__format__`
class Late:
    def __format__(self, how):
        return how
