#!/bin/sh
# Builds exercise 01 with nothing but nvcc, c++ and pybind11. Run it in the exercise's folder.
set -eu
PYTHON=${PYTHON:-python3}
CUDA=${CUDA:-$(nvcc -v -x cu -E /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')}  # where nvcc's toolkit is
PYBIND11=${PYBIND11:-$($PYTHON -m pybind11 --includes)}  # -I flags for Python.h and pybind11
includes="$PYBIND11 -I$CUDA/include"
module=vector_add$($PYTHON -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')

# --8<-- [start:commands]
nvcc -std=c++17 -O2 -Xcompiler -fPIC -c kernel.cu -o kernel.o       # device code, and the host side of the launch
c++ -std=c++17 -O2 -fPIC $includes -c binding.cpp -o binding.o      # ordinary C++
c++ -shared kernel.o binding.o -L"$CUDA/lib64" -lcudart -o "$module"  # one Python module
# --8<-- [end:commands]
