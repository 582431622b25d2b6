def f():
    yield

frame = f().gi_frame.f_back
