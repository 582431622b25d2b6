"""Builds for a loop of edits on cuda: what nvcc would build, in less time.

`nvcc_steps` takes nvcc's command apart; `objects` runs the steps at once and keeps the host's objects;
`shortcuts` remembers which edits leave the host's code alone, and `nvrtc` compiles the device's code of such
an edit in a process that has its headers read already; `sources` reads a source for both. `link` links
without reading torch's symbols. Whatever is not of the form they know is left to nvcc. What counts, a batch,
is built by nvcc alone.
"""
