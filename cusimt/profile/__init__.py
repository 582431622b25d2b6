"""Profiles: what counted launches did to memory, explained.

`assembling` joins the counts of `cusimt.counters` with what each kernel needs (`resources`, or
`estimate` where there is no nvcc) and with the `occupancy` that allows. `remarks` says what to do about it;
`terminal`, `plain`, `page` and `document` render the result. Nothing here imports torch.
"""
