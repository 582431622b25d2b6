"""Compiles CUDA programs for the simulated GPU. The modules in data-flow order:

- `nvcc` is the compiler driver: `nvcc_options` reads its command line, `include_paths` classifies the folders
  on it, `nvcc_report` answers `--version` and `-v`, `gpu_code` records the requested architectures.
- `sources` finds the files that a source includes and translates them (`cusimt.translate`); `cccl` finds
  NVIDIA's headers of Thrust and libcu++.
- `libraries` has the flags for device code and the simulator's own libraries, which `library_build` compiles.
- `toolkit` makes the folder that programs take for CUDA_HOME; `extension` points torch's cpp_extension at it.
- `nvrtc` compiles what a program hands to NVRTC, with `nvcc`: `nvrtc_options` reads its options,
  `nvrtc_request` writes its sources, `nvrtc_headers` finds missing includes, `nvrtc_names` the linker's
  names; `nvrtc_log` and `nvrtc_image` write the log and the image.
- `generated_names` lists the identifiers that only translation generates.
"""
