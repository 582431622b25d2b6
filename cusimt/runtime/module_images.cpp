// Tells images apart.
#include "module_images.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sstream>
#include <string_view>

#include "device_model.h"

namespace simt {

namespace {
// How what cusimt/compiler/nvrtc_image.py writes begins.
constexpr std::string_view kOurs = "// cusimt module image 1: ";

constexpr char kCompileHere[] =
    "The simulated GPU runs kernels as host code: compile their source in the program with NVRTC, or put it into a .cu file.";

bool begins(const char* image, std::string_view prefix) { return strncmp(image, prefix.data(), prefix.size()) == 0; }

ModuleImage refused(CUresult error, std::string what) { return {error, std::move(what) + " " + kCompileHere}; }

bool is_ptx(const char* text) {
    const char* version = strstr(text, ".version");
    return version && strstr(version, ".target");
}

// The value of a line; "" where there is no such line.
std::string value_of(const char* text, std::string_view name) {
    const char* line = strstr(text, name.data());
    return line ? std::string(line + name.size(), strcspn(line + name.size(), "\n")) : "";
}

// A cubin runs on GPUs of its generation that are not older, PTX on any that is not older.
CUresult refuse_architecture(const std::string& architecture) {
    const DeviceModel& device = device_model();
    bool is_cubin = begins(architecture.c_str(), "sm_");
    int number = atoi(architecture.c_str() + architecture.find('_') + 1), ours = device.major * 10 + device.minor;
    bool is_of_one = isalpha(architecture.back());  // sm_90a
    if (number > ours || (is_of_one && number != ours)) return is_cubin ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_PTX;
    return is_cubin && number / 10 != device.major ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_SUCCESS;
}

// Of the code for several architectures one that runs is enough; without any, the error of the first.
CUresult refuse_architectures(std::istringstream architectures) {
    CUresult first = CUDA_SUCCESS;
    for (std::string each; architectures >> each;) {
        CUresult error = refuse_architecture(each);
        if (!error) return CUDA_SUCCESS;
        if (!first) first = error;
    }
    return first;
}

ModuleImage read_ours(const char* text) {
    std::string library = value_of(text, "\n// library: "), architecture = value_of(text, "\n// architecture: ");
    if (library.empty() || architecture.find('_') == std::string::npos) {
        return refused(CUDA_ERROR_INVALID_IMAGE, "This image of cusimt is damaged.");
    }
    if (CUresult error = refuse_architectures(std::istringstream(architecture))) {
        std::string gpu = "sm_" + std::to_string(device_model().major * 10 + device_model().minor);
        return {error, "This image is for " + architecture + ", and the simulated GPU is " + gpu +
                           ": compile it with -arch=" + gpu + ", or choose another GPU with CUSIMT_DEVICE."};
    }
    if (access(library.c_str(), R_OK) == 0) return {.library = library};
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "The device code of this image was in " + library +
                                              ", and is gone. An image is valid as long as the cache of the machine that "
                                              "compiled it keeps the code: compile the program again."};
}
}  // namespace

ModuleImage read_image(const char* image) {
    if (begins(image, kOurs)) return read_ours(image);
    if (begins(image, "\177ELF")) return refused(CUDA_ERROR_NO_BINARY_FOR_GPU, "This image is a cubin, machine code of a GPU.");
    if (begins(image, "\x50\xed\x55\xba") || begins(image, "\xb1\x43\x62\x46")) {
        return refused(CUDA_ERROR_NO_BINARY_FOR_GPU, "This image is a fat binary, with code for GPUs.");
    }
    if (is_ptx(image)) return refused(CUDA_ERROR_INVALID_PTX, "This image is PTX.");
    return refused(CUDA_ERROR_INVALID_IMAGE, "This is no image of a module.");
}

}  // namespace simt
