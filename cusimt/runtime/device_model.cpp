// The table of simulated devices. cusimt/profile/occupancy.py reads it.
#include "device_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_limits.h"

namespace simt {

namespace {
// Per compute capability: the CUDA C++ Programming Guide, "Technical Specifications". Per device: NVIDIA's architecture
// whitepapers (multiprocessors, L2, bus) and what cudaGetDeviceProperties answers on the device (clocks).
constexpr DeviceModel kModels[] = {
    {"h200", kDeviceName, kMajor, kMinor, kMultiprocessors, kThreadsPerMultiprocessor, kBlocksPerMultiprocessor,
     kSharedPerMultiprocessor, kSharedPerBlockOptin, kReservedSharedPerBlock, kL2Bytes, kClockKHz, kMemoryClockKHz,
     kMemoryBusBits},
    {"a100", "cusimt simulated GPU (sm_80)", 8, 0, 108, 2048, 32, 167936, 166912, 1024, 41943040, 1410000, 1593000, 5120},
    {"rtx4090", "cusimt simulated GPU (sm_89)", 8, 9, 128, 1536, 24, 102400, 101376, 1024, 75497472, 2520000, 10501000, 384},
    {"t4", "cusimt simulated GPU (sm_75)", 7, 5, 40, 1024, 16, 65536, 65536, 0, 4194304, 1590000, 5001000, 256},
};

const DeviceModel& chosen() {
    const char* wanted = getenv("CUSIMT_DEVICE");
    if (!wanted || !*wanted) return kModels[0];
    for (const DeviceModel& model : kModels) {
        if (strcmp(wanted, model.key) == 0) return model;
    }
    fprintf(stderr,
            "CUSIMT_DEVICE=%s is not a simulated device. There are h200, a100, rtx4090 and t4.\n"
            "Set it to one of them, or unset it for h200.\n",
            wanted);
    _exit(2);  // the library is being loaded: handlers of exit may wait for the loader
}
}  // namespace

const DeviceModel& device_model() {
    static const DeviceModel& model = chosen();
    return model;
}

}  // namespace simt
