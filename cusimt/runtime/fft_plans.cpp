// cuFFT: plans, their settings, and what they say of the layout of inputs and outputs.
#include "fft_plans.h"

#include <map>
#include <mutex>

#include "library_call.h"

using namespace simt;

namespace {
std::mutex lock;
std::map<cufftHandle, std::shared_ptr<FftPlan>>& plans() {
    static auto* all = new std::map<cufftHandle, std::shared_ptr<FftPlan>>;
    return *all;
}

bool is_type(cufftType type) {
    return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z || type == CUFFT_D2Z ||
           type == CUFFT_Z2D;
}

// Elements in a row of one side: the half of a Hermitian array that is stored, where the other side is real.
size_t row(const FftPlan& plan, bool input) {
    bool is_half = is_real(plan.type, !input);
    return is_half ? plan.sizes.back() / 2 + 1 : plan.sizes.back();
}

FftLayout layout(const FftPlan& plan, bool input, const int* embed, int stride, int distance) {
    FftLayout made;
    made.is_default = !embed;
    made.embed = plan.sizes;
    made.embed.back() = row(plan, input);
    if (embed) {
        for (size_t i = 0; i < plan.sizes.size(); ++i) made.embed[i] = size_t(embed[i]);
        made.stride = size_t(stride);
        made.distance = size_t(distance);
        return made;
    }
    made.distance = 1;
    for (size_t size : made.embed) made.distance *= size;
    return made;
}

struct Many {
    int rank;
    const int* n;
    const int* inembed;
    int istride, idist;
    const int* onembed;
    int ostride, odist;
    cufftType type;
    int batch;
};

cufftResult make(cufftHandle handle, const Many& many, size_t* work_bytes) {
    auto plan = find_fft_plan(handle);
    if (!plan || plan->is_made) return CUFFT_INVALID_PLAN;
    if (!is_type(many.type)) return CUFFT_INVALID_TYPE;
    if (many.rank < 1 || many.rank > 3 || !many.n) return CUFFT_INVALID_VALUE;
    if (many.batch < 1) return CUFFT_INVALID_SIZE;
    for (int i = 0; i < many.rank; ++i) {
        if (many.n[i] < 1) return CUFFT_INVALID_SIZE;
    }
    bool has_strides = many.istride > 0 && many.ostride > 0 && many.idist >= 0 && many.odist >= 0;
    if (!many.inembed != !many.onembed || (many.inembed && !has_strides)) return CUFFT_INVALID_VALUE;
    plan->type = many.type;
    plan->sizes.assign(many.n, many.n + many.rank);
    plan->batch = size_t(many.batch);
    plan->in = layout(*plan, true, many.inembed, many.istride, many.idist);
    plan->out = layout(*plan, false, many.onembed, many.ostride, many.odist);
    plan->is_made = true;
    if (work_bytes) *work_bytes = 0;
    return CUFFT_SUCCESS;
}

Many plain(int rank, const int* n, cufftType type, int batch) { return {rank, n, nullptr, 1, 0, nullptr, 1, 0, type, batch}; }

cufftResult create_and_make(cufftHandle* handle, const Many& many) {
    if (cufftResult error = cufftCreate(handle)) return error;
    cufftResult error = make(*handle, many, nullptr);
    if (error) cufftDestroy(*handle);
    return error;
}

cufftResult nothing(size_t* bytes) {
    if (!bytes) return CUFFT_INVALID_VALUE;
    *bytes = 0;
    return CUFFT_SUCCESS;
}
}  // namespace

namespace simt {
std::shared_ptr<FftPlan> find_fft_plan(cufftHandle plan) {
    std::lock_guard guard(lock);
    auto found = plans().find(plan);
    return found == plans().end() ? nullptr : found->second;
}
}  // namespace simt

extern "C" {
cufftResult cufftCreate(cufftHandle* plan) {
    if (!plan) return CUFFT_INVALID_VALUE;
    static cufftHandle last = 0;
    log_api_call({.call = "cufftCreate", .kind = "handle"});
    std::lock_guard guard(lock);
    *plan = ++last;
    plans()[*plan] = std::make_shared<FftPlan>();
    return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) {
    std::lock_guard guard(lock);
    return plans().erase(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* work_bytes) {
    return make(plan, plain(1, &nx, type, batch), work_bytes);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* work_bytes) {
    const int n[] = {nx, ny};
    return make(plan, plain(2, n, type, 1), work_bytes);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* work_bytes) {
    const int n[] = {nx, ny, nz};
    return make(plan, plain(3, n, type, 1), work_bytes);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, size_t* work_bytes) {
    return make(plan, {rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch}, work_bytes);
}
cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
    return create_and_make(plan, plain(1, &nx, type, batch));
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
    const int n[] = {nx, ny};
    return create_and_make(plan, plain(2, n, type, 1));
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
    const int n[] = {nx, ny, nz};
    return create_and_make(plan, plain(3, n, type, 1));
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                          int odist, cufftType type, int batch) {
    return create_and_make(plan, {rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch});
}

// No transform here needs memory of the device.
cufftResult cufftEstimate1d(int, cufftType, int, size_t* work_bytes) { return nothing(work_bytes); }
cufftResult cufftEstimate2d(int, int, cufftType, size_t* work_bytes) { return nothing(work_bytes); }
cufftResult cufftEstimate3d(int, int, int, cufftType, size_t* work_bytes) { return nothing(work_bytes); }
cufftResult cufftGetSize(cufftHandle plan, size_t* work_bytes) {
    return find_fft_plan(plan) ? nothing(work_bytes) : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetWorkArea(cufftHandle plan, void*) { return find_fft_plan(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) { return find_fft_plan(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
    auto found = find_fft_plan(plan);
    if (!found) return CUFFT_INVALID_PLAN;
    found->stream = stream;
    return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
    if (!version) return CUFFT_INVALID_VALUE;
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}
}
