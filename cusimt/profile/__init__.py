"""Profiles of counted launches, explained; nothing here imports torch. The modules in data-flow order:

- `launch_profiles` joins the counts of `cusimt.counters` with the resources of each kernel: `resources` from
  ptxas (`device_code` extracts what it compiles, `instances` names kernels), else an `estimate`; and with the
  `occupancy` that these allow. `model` has the resulting values.
- `remarks` says what to improve.
- `terminal`, `plain_text`, `page` and `document` render a profile with the `phrases` they share.
- `program` profiles a whole program.
"""
