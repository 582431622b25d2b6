// The same two functions in both types, for looking at what nvcc makes of them:
//   nvcc -arch=sm_90 -ptx sigmoid.cu -o exact.ptx
//   nvcc -arch=sm_90 --use_fast_math -ptx sigmoid.cu -o fast.ptx
template <typename T>
__device__ T sigmoid(T z) {
    return T(1) / (T(1) + exp(-z));
}

extern "C" __global__ void sigmoid_float(const float* z, float* out) {
    out[threadIdx.x] = sigmoid(z[threadIdx.x]);
}

extern "C" __global__ void sigmoid_double(const double* z, double* out) {
    out[threadIdx.x] = sigmoid(z[threadIdx.x]);
}

extern "C" __global__ void tanh_float(const float* z, float* out) {
    out[threadIdx.x] = tanh(z[threadIdx.x]);
}

extern "C" __global__ void tanh_double(const double* z, double* out) {
    out[threadIdx.x] = tanh(z[threadIdx.x]);
}
