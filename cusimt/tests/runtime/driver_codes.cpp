// What NVRTC and the driver's API answer, call by call: driver_codes.txt, which the simulated ones must print. NVRTC 13.0 itself
// printed the first two groups, which need no GPU. Each group runs in a process of its own, because some errors stay.
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

static void show(const char* call, CUresult error) {
    const char* name = "?";
    cuGetErrorName(error, &name);
    printf("  %s -> %d %s\n", call, int(error), name);
}
static void show(const char* call, nvrtcResult error) { printf("  %s -> %s\n", call, nvrtcGetErrorString(error)); }
#define SHOW(...) show(#__VA_ARGS__, __VA_ARGS__)

static const char source[] = R"(
#include "factor.h"
__constant__ float offset = 1;
__device__ int calls;
namespace deep { __constant__ int table[4]; static __device__ int own = 5; }
template <typename T, int N>
__global__ void scale(T* x) { x[threadIdx.x] = x[threadIdx.x] * N * FACTOR + offset; }
template __global__ void scale<double, 3>(double*);
__global__ void overloaded(float* x) { *x = 1; }
__global__ void overloaded(int* x) { *x = 2; }
namespace deep { __global__ void pick(int* x, int i = 1) { atomicAdd(&calls, 1); *x = table[i] + own; } }
struct Pair { char small; double large; };
extern "C" __global__ void mixed(char c, Pair pair, short s, double* out) { *out = c + pair.small + pair.large + s; }
extern "C" __global__ __launch_bounds__(64) void bounded() {}
extern "C" __global__ void reversed(int* x) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void arrays(int* x) { __shared__ int room[1024]; room[threadIdx.x] = 1; *x = room[0]; }
extern "C" __global__ void traps() { __trap(); }
)";

static nvrtcProgram program_of(const char* text) {
    const char *headers[] = {"#define FACTOR 2\n"}, *names[] = {"factor.h"};
    nvrtcProgram program = nullptr;
    nvrtcCreateProgram(&program, text, "scale.cu", 1, headers, names);
    return program;
}

static const char* expressions[] = {"scale<float, 4>", "&calls", "&deep::table", "deep::pick", "(void (*)(int*))overloaded",
                                    "&offset"};

static nvrtcResult compile(nvrtcProgram program, std::vector<const char*> options = {"-arch=sm_90"}) {
    return nvrtcCompileProgram(program, int(options.size()), options.data());
}

static std::string image_of(const char* text) {
    nvrtcProgram program = program_of(text);
    if (compile(program) != NVRTC_SUCCESS) printf("  did not compile\n");
    size_t bytes = 0;
    nvrtcGetCUBINSize(program, &bytes);
    std::string image(bytes, 0);
    nvrtcGetCUBIN(program, &image[0]);
    nvrtcDestroyProgram(&program);
    return image;
}

static CUcontext begin() {
    CUdevice device;
    CUcontext context = nullptr;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    return context;
}

static CUmodule module_of(const char* text = source) {
    CUmodule module = nullptr;
    SHOW(cuModuleLoadData(&module, image_of(text).data()));
    return module;
}

static CUfunction function_of(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    cuModuleGetFunction(&function, module, name);
    return function;
}

static CUdeviceptr memory_of(size_t bytes) {
    CUdeviceptr pointer = 0;
    cuMemAlloc(&pointer, bytes);
    cuMemsetD8(pointer, 0, bytes);
    return pointer;
}

static CUresult launch(CUfunction function, unsigned threads, unsigned shared, void** parameters, void** extra = nullptr) {
    return cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, shared, nullptr, parameters, extra);
}

static void programs() {
    nvrtcProgram program = nullptr;
    size_t bytes = 77;
    const char* lowered = nullptr;
    int major, minor;
    const char* one[] = {"x"};
    SHOW(nvrtcVersion(&major, nullptr));
    SHOW(nvrtcVersion(&major, &minor));
    SHOW(nvrtcCreateProgram(nullptr, "", "x", 0, nullptr, nullptr));
    SHOW(nvrtcCreateProgram(&program, nullptr, "x", 0, nullptr, nullptr));
    SHOW(nvrtcCreateProgram(&program, "", "x", -1, nullptr, nullptr));
    SHOW(nvrtcCreateProgram(&program, "", "x", 1, nullptr, one));
    SHOW(nvrtcCompileProgram(nullptr, 0, nullptr));
    program = program_of(source);
    SHOW(nvrtcGetLoweredName(program, "scale<float, 4>", &lowered));
    SHOW(nvrtcGetPTXSize(program, &bytes));
    printf("  %zu\n", bytes);
    SHOW(nvrtcGetCUBINSize(program, &bytes));
    printf("  %zu\n", bytes);
    SHOW(nvrtcGetProgramLogSize(program, &bytes));
    printf("  %zu\n", bytes);
    SHOW(nvrtcGetPTXSize(program, nullptr));
    SHOW(nvrtcAddNameExpression(program, nullptr));
    SHOW(nvrtcCompileProgram(program, -1, nullptr));
    SHOW(nvrtcCompileProgram(program, 1, nullptr));
    for (const char* each : expressions) SHOW(nvrtcAddNameExpression(program, each));
    SHOW(compile(program));
    for (const char* each : expressions) {
        SHOW(nvrtcGetLoweredName(program, each, &lowered));
        printf("  %s: %s\n", each, lowered);
    }
    SHOW(nvrtcGetLoweredName(program, "&scale<float, 4>", &lowered));
    SHOW(nvrtcGetLoweredName(program, "calls", nullptr));
    SHOW(nvrtcAddNameExpression(program, "&calls"));
    nvrtcGetCUBINSize(program, &bytes);
    printf("  %d\n", bytes > 0);
    SHOW(nvrtcDestroyProgram(&program));
    printf("  %d\n", program == nullptr);
    SHOW(nvrtcDestroyProgram(&program));
    SHOW(nvrtcDestroyProgram(nullptr));
    printf("  %s\n", nvrtcGetErrorString(nvrtcResult(99)));
    std::vector<int> architectures(64);
    SHOW(nvrtcGetNumSupportedArchs(&major));
    SHOW(nvrtcGetSupportedArchs(architectures.data()));
    std::string type;
    nvrtcGetTypeName<const float*>(&type);
    printf("  %s\n", type.c_str());
}

static void refused(const char* text, std::vector<const char*> options, const char* wanted) {
    nvrtcProgram program = program_of(text);
    nvrtcResult result = compile(program, options);
    size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, 0);
    nvrtcGetProgramLog(program, &log[0]);
    printf("  %s: %s\n", nvrtcGetErrorString(result), strstr(log.c_str(), wanted) ? wanted : log.c_str());
}

static void logs() {
    refused("\n\n__global__ void k() { missing(); }\n", {}, "scale.cu(3): error: ");
    refused("\n\n__global__ void k() { missing(); }\n", {}, "1 error detected in the compilation of \"scale.cu\".");
    refused("#include \"absent.h\"\n", {}, "scale.cu(1): catastrophic error: cannot open source file \"absent.h\"");
    refused("#include <absent>\n", {}, "could not open source file \"absent\" (no directories in search list)");
    refused("#include <stdio.h>\n", {"-I/nowhere"}, "scale.cu(1): catastrophic error: cannot open source file \"stdio.h\"");
    refused("#ifndef __CUDACC_RTC__\n#include <vector>\n#endif\n", {}, "");
    refused("", {"--bogus"}, "nvrtc: error: unrecognized option --bogus found");
    refused("", {"-O3"}, "nvrtc: error: unrecognized option -O3 found");
    refused("", {"-arch=sm_10"}, "nvrtc: error: invalid value for --gpu-architecture (-arch)");
    refused("", {"-std=c++99"}, "nvrtc: error: invalid value for --std(-std)");
    refused("#if VALUE != 3\n#error no\n#endif\n", {"-D", "VALUE=3", "-I", "/tmp", "--fmad=true", "-lineinfo", "-G", "-w"}, "");
    refused("#if VALUE != 3\n#error no\n#endif\n", {"--define-macro=VALUE=4"}, "scale.cu(2): ");
    refused("int f() { return 1; }\n__global__ void k(int* x) { *x = f(); }\n", {"-default-device"}, "");
    refused("typedef long long int64_t;\n__global__ void k(int64_t* x) { printf(\"%lld\", *x); assert(*x); }\n", {}, "");
    refused("__device__ int f(int);\n__global__ void k(int* x) { *x = f(1); }\n", {"-arch=sm_90"}, "_Z1fi");
}

static void contexts() {
    int count;
    CUdevice device = 7;
    CUcontext context = nullptr, popped = nullptr, current = nullptr;
    CUdeviceptr pointer = 0;
    CUmodule module;
    unsigned flags;
    SHOW(cuDeviceGetCount(&count));
    SHOW(cuDeviceGet(&device, 0));
    SHOW(cuCtxGetCurrent(&context));
    SHOW(cuMemAlloc(&pointer, 4));
    SHOW(cuModuleLoadData(&module, ""));
    SHOW(cuInit(1));
    SHOW(cuInit(0));
    SHOW(cuDeviceGet(&device, -1));
    SHOW(cuDeviceGet(&device, 99));
    SHOW(cuDeviceGet(nullptr, 0));
    SHOW(cuDeviceGet(&device, 0));
    SHOW(cuCtxGetCurrent(&context));
    printf("  %d\n", context == nullptr);
    SHOW(cuMemAlloc(&pointer, 4));
    SHOW(cuCtxSynchronize());
    SHOW(cuCtxPopCurrent(&popped));
    SHOW(cuCtxGetDevice(&device));
    SHOW(cuDevicePrimaryCtxRelease(0));
    SHOW(cuDevicePrimaryCtxGetState(0, &flags, &count));
    printf("  %d\n", count);
    SHOW(cuDevicePrimaryCtxRetain(&context, 0));
    SHOW(cuDevicePrimaryCtxGetState(0, &flags, &count));
    printf("  %d\n", count);
    SHOW(cuMemAlloc(&pointer, 4));
    SHOW(cuCtxPushCurrent(context));
    SHOW(cuMemAlloc(&pointer, 4));
    SHOW(cuMemAlloc(&pointer, 0));
    SHOW(cuMemAlloc(nullptr, 4));
    SHOW(cuCtxDestroy(context));
    SHOW(cuCtxCreate_v2(&current, 0, 99));
    SHOW(cuCtxCreate_v2(&current, 0, 0));
    SHOW(cuCtxGetCurrent(&popped));
    printf("  %d %d\n", popped == current, popped == context);
    SHOW(cuCtxPopCurrent(&popped));
    SHOW(cuCtxGetCurrent(&popped));
    printf("  %d\n", popped == context);
    SHOW(cuCtxSetCurrent(current));
    SHOW(cuCtxDestroy(current));
    SHOW(cuCtxDestroy(nullptr));
    SHOW(cuCtxSetCurrent(nullptr));
    SHOW(cuCtxGetCurrent(&popped));
    printf("  %d\n", popped == nullptr);
    SHOW(cuMemFree(pointer));
    SHOW(cuDevicePrimaryCtxRelease(0));
    const char* text = "x";
    SHOW(cuGetErrorName(CUresult(12345), &text));
    printf("  %d\n", text == nullptr);
    SHOW(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
    printf("  %s\n", text);
}

static void images() {
    begin();
    CUmodule module = nullptr;
    CUfunction function;
    CUdeviceptr pointer;
    size_t bytes;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, (void*)sizeof log};
    SHOW(cuModuleLoadData(&module, nullptr));
    SHOW(cuModuleLoadData(nullptr, "x"));
    SHOW(cuModuleLoadData(&module, ""));
    SHOW(cuModuleLoadData(&module, "nonsense"));
    SHOW(cuModuleLoad(&module, "/nowhere/module.cubin"));
    SHOW(cuModuleLoadDataEx(&module, "nonsense", 2, options, values));
    printf("  %d %d\n", log[0] != 0, values[1] != nullptr);
    SHOW(cuModuleUnload(nullptr));
    module = module_of();
    SHOW(cuModuleGetFunction(&function, module, "absent"));
    SHOW(cuModuleGetFunction(&function, module, "scale<float, 4>"));
    SHOW(cuModuleGetFunction(&function, module, "_Z5scaleIdLi3EEvPT_"));
    SHOW(cuModuleGetFunction(&function, module, "_Z5scaleIfLi4EEvPT_"));
    SHOW(cuModuleGetFunction(&function, module, "_Z10overloadedPf"));
    SHOW(cuModuleGetFunction(&function, module, "_Z10overloadedPi"));
    SHOW(cuModuleGetFunction(&function, module, "_ZN4deep4pickEPii"));
    SHOW(cuModuleGetFunction(&function, module, "pick"));
    SHOW(cuModuleGetFunction(&function, module, "mixed"));
    SHOW(cuModuleGetFunction(&function, module, nullptr));
    SHOW(cuModuleGetFunction(nullptr, module, "mixed"));
    SHOW(cuModuleGetGlobal(&pointer, &bytes, module, "offset"));
    printf("  %zu\n", bytes);
    SHOW(cuModuleGetGlobal(nullptr, &bytes, module, "_ZN4deep5tableE"));
    printf("  %zu\n", bytes);
    SHOW(cuModuleGetGlobal(&pointer, nullptr, module, "calls"));
    SHOW(cuModuleGetGlobal(&pointer, nullptr, module, "absent"));
    SHOW(cuModuleGetGlobal(&pointer, nullptr, module, "mixed"));
    SHOW(cuModuleUnload(module));
    std::string image = image_of(source), path = "/tmp/driver_codes." + std::to_string(getpid());
    FILE* file = fopen(path.c_str(), "wb");
    fwrite(image.data(), 1, image.size(), file);
    fclose(file);
    SHOW(cuModuleLoad(&module, path.c_str()));
    SHOW(cuModuleGetFunction(&function, module, "mixed"));
    remove(path.c_str());
    CUlibrary library;
    CUkernel kernel;
    SHOW(cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    SHOW(cuLibraryGetKernel(&kernel, library, "absent"));
    SHOW(cuLibraryGetKernel(&kernel, library, "mixed"));
    SHOW(cuKernelGetFunction(&function, kernel));
    SHOW(cuLibraryGetGlobal(&pointer, &bytes, library, "calls"));
    SHOW(cuLibraryGetModule(&module, library));
    SHOW(cuModuleUnload(module));
    SHOW(cuLibraryUnload(library));
}

static void launches() {
    begin();
    CUmodule module = module_of(), again = module_of();
    CUdeviceptr x = memory_of(4096), table;
    int index = 2, values[4] = {10, 20, 30, 40}, read = 0, calls = 0;
    char c = 1;
    struct {
        char small;
        double large;
    } pair = {2, 0.5};
    short s = 4;
    double sum = 0;
    cuModuleGetGlobal(&table, nullptr, module, "_ZN4deep5tableE");
    SHOW(cuMemcpyHtoD(table, values, sizeof values));
    CUfunction pick = function_of(module, "_ZN4deep4pickEPii"), mixed = function_of(module, "mixed");
    void *picked[] = {&x, &index}, *mixed_with[] = {&c, &pair, &s, &x};
    SHOW(launch(pick, 1, 0, picked));
    SHOW(cuMemcpyDtoH(&read, x, 4));
    printf("  %d\n", read);
    SHOW(launch(function_of(again, "_ZN4deep4pickEPii"), 1, 0, picked));
    SHOW(cuMemcpyDtoH(&read, x, 4));
    printf("  %d\n", read);
    cuModuleGetGlobal(&table, nullptr, module, "calls");
    cuMemcpyDtoH(&calls, table, 4);
    printf("  calls %d\n", calls);
    SHOW(launch(mixed, 1, 0, mixed_with));
    cuMemcpyDtoH(&sum, x, 8);
    printf("  %g\n", sum);
    struct {
        char c;
        struct {
            char small;
            double large;
        } pair;
        short s;
        CUdeviceptr out;
    } buffer = {10, {20, 0.25}, 30, x};
    size_t bytes = sizeof buffer, offset = 0, size = 0;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    SHOW(launch(mixed, 1, 0, nullptr, extra));
    cuMemcpyDtoH(&sum, x, 8);
    printf("  %g\n", sum);
    SHOW(launch(mixed, 1, 0, mixed_with, extra));
    extra[0] = (void*)9;
    SHOW(launch(mixed, 1, 0, nullptr, extra));
    SHOW(cuFuncGetParamInfo(mixed, 3, &offset, &size));
    printf("  %zu %zu\n", offset, size);
    SHOW(cuFuncGetParamInfo(mixed, 4, &offset, &size));
    SHOW(launch(nullptr, 1, 0, mixed_with));
    SHOW(launch(mixed, 0, 0, mixed_with));
    SHOW(launch(mixed, 1025, 0, mixed_with));
    SHOW(launch(mixed, 1, 0, nullptr));
    SHOW(cuLaunchKernel(mixed, 0, 1, 1, 1, 1, 1, 0, nullptr, mixed_with, nullptr));
    SHOW(cuLaunchKernel(mixed, 1, 65536, 1, 1, 1, 1, 0, nullptr, mixed_with, nullptr));
    CUfunction bounded = function_of(module, "bounded"), reversed = function_of(module, "reversed");
    SHOW(launch(bounded, 64, 0, nullptr));
    SHOW(launch(bounded, 65, 0, nullptr));
    void* reversed_with[] = {&x};
    SHOW(launch(reversed, 32, 49153, reversed_with));
    SHOW(cuFuncSetAttribute(reversed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449));
    SHOW(cuFuncSetAttribute(reversed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    SHOW(cuFuncSetAttribute(reversed, CU_FUNC_ATTRIBUTE_NUM_REGS, 10));
    SHOW(launch(reversed, 32, 100000, reversed_with));
    int value = 0;
    SHOW(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, reversed));
    printf("  %d\n", value);
    SHOW(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded));
    printf("  %d\n", value);
    SHOW(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function_of(module, "arrays")));
    printf("  %d\n", value);
    SHOW(cuFuncGetAttribute(&value, CUfunction_attribute(99), bounded));
    SHOW(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, reversed, 256, 50000));
    printf("  %d\n", value);
    SHOW(cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, reversed, 256, 0));
    SHOW(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, reversed, 0, 0));
    SHOW(cuCtxSynchronize());
    SHOW(cuMemFree(x));
    SHOW(cuMemFree(x));
    SHOW(cuMemFree(0));
    SHOW(cuModuleUnload(again));
    SHOW(launch(pick, 1, 0, picked));
}

static void faults() {
    begin();
    CUmodule module = module_of();
    CUdeviceptr pointer;
    launch(function_of(module, "traps"), 1, 0, nullptr);
    SHOW(cuCtxSynchronize());
    SHOW(cuMemAlloc(&pointer, 4));
    SHOW(launch(function_of(module, "bounded"), 1, 0, nullptr));
}

static void group(const char* name, void (*run)()) {
    printf("%s\n", name);
    fflush(stdout);
    if (fork() == 0) {
        run();
        fflush(stdout);
        _exit(0);
    }
    int status;
    wait(&status);
    if (status) printf("  ended with %d\n", status);
}

int main() {
    group("programs", programs);
    group("logs", logs);
    group("contexts", contexts);
    group("images", images);
    group("launches", launches);
    group("faults", faults);
}
