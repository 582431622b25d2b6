// Programs that compile device code while they run. Each case prints what test_runtime_compiled.py expects.
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

static void check(const char* call, CUresult error) {
    const char* name = "?";
    cuGetErrorName(error, &name);
    if (error) printf("%s: %s\n", call, name);
}
#define CHECK(...) check(#__VA_ARGS__, __VA_ARGS__)

struct Compiled {
    std::string image, log, name;  // of the first expression
};

static Compiled compile(const char* source, std::vector<const char*> expressions = {}, std::vector<const char*> options = {},
                        const char* file = "kernels.cu") {
    nvrtcProgram program = nullptr;
    nvrtcCreateProgram(&program, source, file, 0, nullptr, nullptr);
    for (const char* each : expressions) nvrtcAddNameExpression(program, each);
    nvrtcResult result = nvrtcCompileProgram(program, int(options.size()), options.data());
    if (result) printf("%s\n", nvrtcGetErrorString(result));
    Compiled compiled;
    size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    compiled.log.resize(bytes);
    nvrtcGetProgramLog(program, &compiled.log[0]);
    nvrtcGetPTXSize(program, &bytes);
    compiled.image.resize(bytes);
    nvrtcGetPTX(program, &compiled.image[0]);
    const char* lowered = "";
    if (!expressions.empty()) nvrtcGetLoweredName(program, expressions[0], &lowered);
    compiled.name = lowered;
    nvrtcDestroyProgram(&program);
    return compiled;
}

static CUfunction load(CUmodule* module, const Compiled& compiled, const char* name = nullptr) {
    CUfunction function = nullptr;
    CHECK(cuModuleLoadData(module, compiled.image.data()));
    CHECK(cuModuleGetFunction(&function, *module, name ? name : compiled.name.c_str()));
    return function;
}

static void launch(CUfunction function, unsigned blocks, unsigned threads, unsigned shared, std::vector<void*> parameters) {
    CHECK(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, nullptr, parameters.data(), nullptr));
    CHECK(cuCtxSynchronize());
}

static CUdeviceptr memory_of(const std::vector<float>& values) {
    CUdeviceptr pointer = 0;
    CHECK(cuMemAlloc(&pointer, values.size() * sizeof(float)));
    CHECK(cuMemcpyHtoD(pointer, values.data(), values.size() * sizeof(float)));
    return pointer;
}

static void print(CUdeviceptr pointer, size_t count) {
    std::vector<float> values(count);
    CHECK(cuMemcpyDtoH(values.data(), pointer, count * sizeof(float)));
    for (float each : values) printf("%g ", double(each));
    printf("\n");
}

static void saxpy() {
    Compiled compiled = compile(R"(
template <typename T>
__global__ void saxpy(T a, const T* x, T* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
)",
                                {"saxpy<float>"});
    CUmodule module;
    CUfunction function = load(&module, compiled);
    CUdeviceptr x = memory_of({1, 2, 3, 4, 5}), y = memory_of({10, 20, 30, 40, 50});
    float a = 2;
    int n = 5;
    launch(function, 2, 4, 0, {&a, &x, &y, &n});
    print(y, 5);
}

static const char faulty[] = R"(
extern "C" __global__ void shift(float* x) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];  // no barrier
}
extern "C" __global__ void overrun(float* x, int n) {
    if (threadIdx.x <= n) x[threadIdx.x] = 1;
}
extern "C" __global__ void copy(const float* x, float* y) {
    y[threadIdx.x] = x[threadIdx.x];
}
)";

static void race() {
    CUmodule module;
    CUfunction function = load(&module, compile(faulty), "shift");
    CUdeviceptr x = memory_of(std::vector<float>(64));
    launch(function, 1, 64, 64 * sizeof(float), {&x});
}

static void overrun() {
    CUmodule module;
    CUfunction function = load(&module, compile(faulty), "overrun");
    CUdeviceptr x = memory_of(std::vector<float>(8));
    int n = 8;
    launch(function, 1, 32, 0, {&x, &n});
}

static void uninitialised() {
    CUmodule module;
    CUfunction function = load(&module, compile(faulty), "copy");
    CUdeviceptr x, y = memory_of(std::vector<float>(8));
    CHECK(cuMemAlloc(&x, 32));
    launch(function, 1, 8, 0, {&x, &y});
}

static void variables() {
    Compiled compiled = compile(R"(
__constant__ float factor;
namespace state { __device__ int launches; }
extern "C" __global__ void multiply(float* x) { state::launches += 1; x[0] *= factor; }
)",
                                {"&state::launches"});
    CUmodule first, second;
    CUfunction one = load(&first, compiled, "multiply"), other = load(&second, compiled, "multiply");
    CUdeviceptr x = memory_of({1}), factor, launches;
    float five = 5, seven = 7;
    CHECK(cuModuleGetGlobal(&factor, nullptr, first, "factor"));
    CHECK(cuMemcpyHtoD(factor, &five, 4));
    CHECK(cuModuleGetGlobal(&factor, nullptr, second, "factor"));
    CHECK(cuMemcpyHtoD(factor, &seven, 4));
    launch(one, 1, 1, 0, {&x});
    launch(one, 1, 1, 0, {&x});
    launch(other, 1, 1, 0, {&x});
    print(x, 1);
    for (CUmodule module : {first, second}) {
        int count = 0;
        CHECK(cuModuleGetGlobal(&launches, nullptr, module, compiled.name.c_str()));
        CHECK(cuMemcpyDtoH(&count, launches, 4));
        printf("%d\n", count);
    }
}

static void unloaded() {
    Compiled compiled = compile(faulty);
    CUmodule module;
    CUfunction function = load(&module, compiled, "overrun"), again;
    CUdeviceptr x = memory_of({0});
    int n = 0;
    launch(function, 1, 1, 0, {&x, &n});
    CHECK(cuModuleUnload(module));
    launch(function, 1, 1, 0, {&x, &n});
    CHECK(cuModuleGetFunction(&again, module, "overrun"));
    CHECK(cuModuleUnload(module));
    function = load(&module, compiled, "overrun");
    launch(function, 1, 1, 0, {&x, &n});
    print(x, 1);
}

static void refused() {
    CUmodule module;
    char log[300] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, (void*)sizeof log};
    CHECK(cuModuleLoadDataEx(&module, "//\n.version 8.8\n.target sm_90\n.address_size 64\n", 2, options, values));
    printf("%s\n", log);
    CHECK(cuModuleLoadData(&module, "\177ELF\2\1\1"));
    CHECK(cuModuleLoadData(&module, "something else"));
    CHECK(cuModuleLoadData(&module, compile(faulty, {}, {"-arch=compute_120"}).image.data()));
    std::string image = compile(faulty).image;
    image.replace(image.find("library: ") + 9, 1, "/nowhere/");
    CHECK(cuModuleLoadData(&module, image.data()));
}

static void first_line() {
    std::string image = compile(faulty).image;
    printf("%s\n", image.substr(0, image.find('\n')).c_str());
}

static void mistakes() {
    printf("%s", compile("__global__ void k(float* x) {\n    x[0] = missing;\n}\n").log.c_str());
    printf("%s", compile("__global__ void k() {}\n", {"k", "absent<int>"}).log.c_str());
    printf("%s", compile("#include <cuda_fp16.h>\n__global__ void k(__half* x) { x[0] = 1; }\n").log.c_str());
    std::string toolkit = std::string("-I") + getenv("CUDA_HOME") + "/include";
    printf("%s",
           compile("#include <cuda_fp16.h>\n__global__ void k(__half* x) { x[0] = 1; }\n", {}, {toolkit.c_str()}).log.c_str());
}

static void of_a_file() {  // in the current folder, with a header beside it
    std::ofstream("own.cu") << "#include \"own.h\"\nextern \"C\" __global__ void k(float* x) { x[0] = VALUE; }\n";
    std::ofstream("own.h") << "#define VALUE 6\n";
    CUmodule module;
    std::string text = "#include \"own.h\"\nextern \"C\" __global__ void k(float* x) { x[0] = VALUE; }\n";
    CUfunction function = load(&module, compile(text.c_str(), {}, {}, "own.cu"), "k");
    CUdeviceptr x = memory_of({0});
    launch(function, 1, 1, 0, {&x});
    print(x, 1);
    std::ofstream("own.h") << "#define VALUE 7\n";
    function = load(&module, compile(text.c_str(), {}, {}, "own.cu"), "k");
    launch(function, 1, 1, 0, {&x});
    print(x, 1);
}

static void with_groups() {  // by a copy of the toolkit's header, without the toolkit's folder
    std::string toolkit = std::string(getenv("CUDA_HOME")) + "/include/cooperative_groups.h";
    std::ofstream("cooperative_groups.h") << std::ifstream(toolkit).rdbuf();
    const char* source =
        "#include <cooperative_groups.h>\n"
        "extern \"C\" __global__ void k(float* x) {\n"
        "    clock_t begin = clock();\n"
        "    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();\n"
        "    cooperative_groups::sync(block);\n"
        "    if (clock() > begin) x[block.thread_rank()] = block.size();\n"
        "}\n";
    CUmodule module;
    CUfunction function = load(&module, compile(source, {}, {"-I."}), "k");
    CUdeviceptr x = memory_of({0, 0, 0});
    launch(function, 1, 3, 0, {&x});
    print(x, 3);
}

static void in_threads() {
    CUcontext context;
    CHECK(cuCtxGetCurrent(&context));
    std::vector<float> results(4);
    auto work = [&](int number) {
        CHECK(cuCtxSetCurrent(context));
        for (int round = 0; round < 20; ++round) {
            CUmodule module;
            CUfunction function =
                load(&module, compile("extern \"C\" __global__ void k(float* x, float v) { x[0] += v; }"), "k");
            CUdeviceptr x = memory_of({float(round)});
            float added = float(number);
            launch(function, 1, 1, 0, {&x, &added});
            CHECK(cuMemcpyDtoH(&results[size_t(number)], x, 4));
            CHECK(cuMemFree(x));
            CHECK(cuModuleUnload(module));
        }
    };
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) threads.emplace_back(work, number);
    for (std::thread& each : threads) each.join();
    for (float each : results) printf("%g ", double(each));
    printf("\n");
}

int main(int, char** arguments) {
    const std::map<std::string, void (*)()> cases = {
        {"saxpy", saxpy},         {"race", race},           {"overrun", overrun},    {"uninitialised", uninitialised},
        {"variables", variables}, {"unloaded", unloaded},   {"refused", refused},    {"first_line", first_line},
        {"mistakes", mistakes},   {"of_a_file", of_a_file}, {"threads", in_threads},
        {"groups", with_groups},
    };
    CUdevice device;
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    cases.at(arguments[1])();
}
