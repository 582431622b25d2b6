def f(x):
    match x:
        case object(gi_frame=frame):
            return frame
