// cuFFT: the transforms.
#include <math.h>

#include "fft_plans.h"
#include "fourier.h"
#include "library_call.h"

using namespace simt;

namespace {
size_t product(const std::vector<size_t>& sizes) {
    size_t all = 1;
    for (size_t size : sizes) all *= size;
    return all;
}

// One side of a transform: numbers of type T, in rows of `sizes`.
template <class T>
struct Side {
    T* memory;
    const FftLayout& layout;
    std::vector<size_t> sizes;

    size_t place(size_t index, size_t batch) const {
        size_t offset = 0, unit = 1;
        for (size_t i = sizes.size(); i-- > 0; unit *= layout.embed[i], index /= sizes[i]) offset += index % sizes[i] * unit;
        return batch * layout.distance + offset * layout.stride;
    }
    bool is_accessible(size_t batches) const {
        return simt::is_accessible(memory, (place(product(sizes) - 1, batches - 1) + 1) * sizeof(T));
    }
};

Complex number(float x) { return x; }
Complex number(double x) { return x; }
Complex number(cufftComplex z) { return {z.x, z.y}; }
Complex number(cufftDoubleComplex z) { return {z.x, z.y}; }
void assign(float& x, Complex value) { x = float(value.real()); }
void assign(double& x, Complex value) { x = value.real(); }
void assign(cufftComplex& z, Complex value) { z = {float(value.real()), float(value.imag())}; }
void assign(cufftDoubleComplex& z, Complex value) { z = {value.real(), value.imag()}; }

using Array = std::vector<Complex>;

// A Hermitian array of which only half of each row is there: the other half of row i is in the row that mirrors it. After the
// transform along the other dimensions that is row i itself.
Array whole_rows(const Array& half, size_t n) {
    size_t kept = n / 2 + 1;
    Array whole(half.size() / kept * n);
    for (size_t i = 0; i < whole.size(); ++i) {
        size_t row = i / n * kept, k = i % n;
        whole[i] = k < kept ? half[row + k] : std::conj(half[row + n - k]);
        if (k == 0 || 2 * k == n) whole[i] = whole[i].real();
    }
    return whole;
}

Array half_rows(const Array& whole, size_t n) {
    Array half;
    for (size_t i = 0; i < whole.size(); ++i) {
        if (i % n <= n / 2) half.push_back(whole[i]);
    }
    return half;
}

Array transformed(Array array, const FftPlan& plan, int sign) {
    std::vector<size_t> sizes = plan.sizes;
    size_t last = sizes.size() - 1, n = sizes.back();
    bool from_half = is_real(plan.type, false);
    if (from_half) sizes.back() = n / 2 + 1;
    for (size_t i = 0; i < last; ++i) transform_along(array.data(), sizes, i, sign);
    if (from_half) array = whole_rows(array, n);
    transform_along(array.data(), plan.sizes, last, sign);
    return is_real(plan.type, true) ? half_rows(array, n) : array;
}

// In place, a row of real numbers is as long as the row of the complex ones: two more than it needs, or one.
FftLayout in_place(const FftLayout& real, const FftLayout& complex) {
    FftLayout padded = real;
    if (!real.is_default) return padded;
    padded.embed.back() = 2 * complex.embed.back();
    padded.distance = 2 * complex.distance;
    return padded;
}

template <class In, class Out>
cufftResult execute(cufftHandle handle, cufftType type, In* in, Out* out, int direction) {
    auto plan = find_fft_plan(handle);
    if (!plan || !plan->is_made) return CUFFT_INVALID_PLAN;
    if (plan->type != type) return CUFFT_INVALID_TYPE;
    if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
    bool is_in_place = static_cast<void*>(in) == out;
    FftLayout from_layout = is_in_place && is_real(type, true) ? in_place(plan->in, plan->out) : plan->in;
    FftLayout to_layout = is_in_place && is_real(type, false) ? in_place(plan->out, plan->in) : plan->out;
    Side<In> from{in, from_layout, plan->sizes};
    Side<Out> to{out, to_layout, plan->sizes};
    if (is_real(type, true)) to.sizes.back() = plan->sizes.back() / 2 + 1;
    if (is_real(type, false)) from.sizes.back() = plan->sizes.back() / 2 + 1;
    double elements = double(product(plan->sizes) * plan->batch);
    LibraryCall call("cuFFT", plan->stream, 5 * elements * log2(elements + 1));
    if (simt_library_call_fails()) return CUFFT_EXEC_FAILED;
    if (!from.is_accessible(plan->batch) || !to.is_accessible(plan->batch)) return CUFFT_EXEC_FAILED;
    std::vector<Array> arrays(plan->batch);  // all of them first: in place, an output may cover the next input
    for (size_t b = 0; b < plan->batch; ++b) {
        for (size_t i = 0; i < product(from.sizes); ++i) arrays[b].push_back(number(in[from.place(i, b)]));
    }
    for (size_t b = 0; b < plan->batch; ++b) {
        Array result = transformed(std::move(arrays[b]), *plan, direction);
        for (size_t i = 0; i < result.size(); ++i) {
            Out& element = out[to.place(i, b)];
            assign(element, result[i]);
            simt_mark_written(&element, sizeof element, SIMT_LIBRARY);
        }
    }
    return CUFFT_SUCCESS;
}
}  // namespace

extern "C" {
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
    return execute(plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
    return execute(plan, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
    return execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
    return execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
    return execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
    return execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}
}
