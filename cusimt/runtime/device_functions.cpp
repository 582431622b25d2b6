// The table of library functions that CUDA has on the device, too.
#include "device_functions.h"

#include <string.h>

#include <string>
#include <unordered_set>

namespace simt {

namespace {
using Names = std::unordered_set<std::string>;

// In double and, with an f behind it, in single precision.
constexpr const char* kMathematics[] = {
    "acos",     "acosh",        "asin",      "asinh",   "atan",      "atan2", "atanh", "cbrt",    "ceil",   "copysign",
    "cos",      "cosh",         "erf",       "erfc",    "exp",       "exp10", "exp2",  "expm1",   "fabs",   "fdim",
    "floor",    "fma",          "fmax",      "fmin",    "fmod",      "hypot", "ilogb", "j0",      "j1",     "jn",
    "ldexp",    "lgamma",       "llrint",    "llround", "log",       "log10", "log1p", "log2",    "logb",   "lrint",
    "lround",   "nearbyint",    "nextafter", "pow",     "remainder", "rint",  "round", "scalbln", "scalbn", "sin",
    "sinh",     "sqrt",         "tan",       "tanh",    "tgamma",    "trunc", "y0",    "y1",      "yn",     "nan",
    "__finite", "__fpclassify", "__isinf",   "__isnan", "__signbit",
};
// What std::complex is made of here; on a GPU, libcu++ and thrust have their own.
constexpr const char* kComplex[] = {
    "cabs", "cacos", "cacosh", "carg", "casin", "casinh", "catan", "catanh", "ccos", "ccosh",
    "cexp", "clog",  "conj",   "cpow", "cproj", "csin",   "csinh", "csqrt",  "ctan", "ctanh",
};
constexpr const char* kOthers[] = {
    "abs",
    "labs",
    "llabs",
    "puts",
    "putchar",  // the last two are what compilers make of a printf
    "__tls_get_addr",
    "__stack_chk_fail",
};
// They write through a pointer, or read their format from one.
constexpr const char* kHooked[] = {
    "memcpy", "memmove", "memset", "printf",  "vprintf", "modf",    "modff",
    "frexp",  "frexpf",  "remquo", "remquof", "sincos",  "sincosf",
};

const Names& plain() {
    static const Names names = [] {
        Names all(std::begin(kOthers), std::end(kOthers));
        for (std::string name : kMathematics) all.insert({name, name + "f"});
        for (std::string name : kComplex) all.insert({name, name + "f"});
        return all;
    }();
    return names;
}

// Arithmetic that the processor lacks, such as __popcountdi2 and __fixunssfdi: named after the modes of its operands.
bool is_arithmetic_of_the_compiler(const std::string& name) {
    size_t end = name.find_last_not_of("234") + 1;
    if (name.compare(0, 2, "__") != 0 || end < 5) return false;
    return strchr("qhsdtx", name[end - 2]) && strchr("ifc", name[end - 1]);
}

bool is_of_the_simulated_gpu(const char* name) { return strncmp(name, "simt_", 5) == 0; }
}  // namespace

bool needs_hook(const char* name) {
    static const Names names(std::begin(kHooked), std::end(kHooked));
    return names.contains(name);
}

bool is_device_function(const char* name) {
    return is_of_the_simulated_gpu(name) || plain().contains(name) || needs_hook(name) || is_arithmetic_of_the_compiler(name);
}

}  // namespace simt
