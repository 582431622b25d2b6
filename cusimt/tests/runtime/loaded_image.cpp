// Loads the image in a file, once by its name and once from memory, and triples the first eight integers with its kernel.
#include <cuda.h>
#include <stdio.h>

#include <fstream>
#include <iterator>
#include <string>

static const char* name_of(CUresult error) {
    const char* name = "?";
    cuGetErrorName(error, &name);
    return name;
}

static void triple(CUmodule module, const char* kernel) {
    int values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    CUdeviceptr pointer = 0;
    CUfunction function = nullptr;
    cuMemAlloc(&pointer, sizeof values);
    cuMemcpyHtoD(pointer, values, sizeof values);
    void* parameters[] = {&pointer};
    CUresult found = cuModuleGetFunction(&function, module, kernel);
    if (!found) cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, nullptr, parameters, nullptr);
    cuMemcpyDtoH(values, pointer, sizeof values);
    printf("%s %d %d\n", name_of(found), values[1], values[7]);
}

int main(int, char** arguments) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuCtxCreate(&context, 0, device);
    CUresult loaded = cuModuleLoad(&module, arguments[1]);
    printf("%s\n", name_of(loaded));
    if (loaded) return 0;
    triple(module, arguments[2]);
    std::ifstream file(arguments[1], std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    if (!cuModuleLoadData(&module, bytes.c_str())) triple(module, arguments[2]);
}
