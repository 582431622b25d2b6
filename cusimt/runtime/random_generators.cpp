// cuRAND's host interface: arrays filled from one Philox sequence per generator.
#include <math.h>

#include <limits>
#include <new>
#include <random>

#include "curand.h"
#include "library_call.h"
#include "simt/random/distributions.h"

using namespace simt;

struct curandGenerator_st {
    bool on_host;
    unsigned long long seed = 0, offset = 0;  // the offset counts words
    cudaStream_t stream = nullptr;
};

namespace {

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    if (type < CURAND_RNG_PSEUDO_DEFAULT || type > CURAND_RNG_PSEUDO_PHILOX4_32_10) return CURAND_STATUS_TYPE_ERROR;
    *generator = new (std::nothrow) curandGenerator_st{.on_host = on_host};
    return *generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

// The words of a generator's sequence, from where its last call ended; what the standard library's distributions draw from.
class Words {
  public:
    typedef unsigned int result_type;
    explicit Words(curandGenerator_t generator) : generator_(generator) {
        curand_init(generator->seed, 0, generator->offset, &state_);
    }
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
    result_type operator()() {
        ++generator_->offset;
        return curand(&state_);
    }

  private:
    curandGenerator_t generator_;
    curandStatePhilox4_32_10_t state_;
};

// Fills out[0, n) with what `next(words)` returns, two values at a time where that has .x and .y.
template <class T, class Next>
curandStatus_t fill(curandGenerator_t generator, T* out, size_t n, Next next) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    LibraryCall call("cuRAND generate", generator->stream, static_cast<double>(n));
    if (simt_library_call_fails()) return CURAND_STATUS_PREEXISTING_FAILURE;
    if (!generator->on_host && !is_accessible(out, n * sizeof(T))) return CURAND_STATUS_LAUNCH_FAILURE;
    Words words(generator);
    for (size_t i = 0; i < n;) {
        auto value = next(words);
        if constexpr (requires { value.x; }) {
            out[i++] = value.x;
            out[i++] = value.y;
        } else {
            out[i++] = value;
        }
    }
    if (simt_is_device_pointer(out)) simt_mark_written(out, n * sizeof(T), SIMT_LIBRARY);
    return CURAND_STATUS_SUCCESS;
}

template <class T, class Finish>
curandStatus_t fill_normal(curandGenerator_t generator, T* out, size_t n, Finish finish) {
    if (n % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;  // they are made in pairs
    return fill(generator, out, n, [&](Words& draw) {
        if constexpr (sizeof(T) == sizeof(float)) {
            unsigned radius = draw(), angle = draw();
            float2 pair = normals_of(radius, angle);
            return float2{finish(pair.x), finish(pair.y)};
        } else {
            unsigned a = draw(), b = draw(), c = draw(), d = draw();
            double2 pair = normals_of(a, b, c, d);
            return double2{finish(pair.x), finish(pair.y)};
        }
    });
}

}  // namespace

extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
    log_api_call({.call = "curandCreateGenerator", .kind = "handle"});
    return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
    return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    generator->seed = seed, generator->offset = 0;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    generator->offset = offset;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t) {
    return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
    return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* out, size_t n) {
    return fill(generator, out, n, [](Words& draw) { return draw(); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t n) {
    return fill(generator, out, n, [](Words& draw) { return uniform_of(draw()); });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, size_t n) {
    return fill(generator, out, n, [](Words& draw) {
        unsigned low = draw(), high = draw();
        return uniform_of(low, high);
    });
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t n, float mean, float deviation) {
    return fill_normal(generator, out, n, [=](float x) { return mean + deviation * x; });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t n, double mean, double deviation) {
    return fill_normal(generator, out, n, [=](double x) { return mean + deviation * x; });
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t n, float mean, float deviation) {
    return fill_normal(generator, out, n, [=](float x) { return expf(mean + deviation * x); });
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t n, double mean,
                                             double deviation) {
    return fill_normal(generator, out, n, [=](double x) { return exp(mean + deviation * x); });
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* out, size_t n, double lambda) {
    if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
    return fill(generator, out, n, [&](Words& draw) {
        std::poisson_distribution<unsigned int> poisson(lambda);  // a new one keeps nothing from the last value
        return poisson(draw);
    });
}
}
