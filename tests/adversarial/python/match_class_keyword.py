# A pattern reads the frame of a generator.
# A naive grader gives full marks. Refused here: reads the attribute `gi_frame`
def f(x):
    match x:
        case object(gi_frame=frame):
            return frame
