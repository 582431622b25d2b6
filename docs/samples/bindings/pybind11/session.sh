set -e
nvcc -O2 -std=c++17 -arch=native \
    -shared -Xcompiler -fPIC $(python -m pybind11 --includes) \
    axpy.cu binding.cpp -o axpy.so
python run.py
