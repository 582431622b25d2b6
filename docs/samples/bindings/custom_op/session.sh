set -e
nvcc -O2 -std=c++17 -arch=native \
    -shared -cudart shared -Xcompiler -fPIC \
    axpy.cu binding.cpp -o libaxpy.so
python run.py
