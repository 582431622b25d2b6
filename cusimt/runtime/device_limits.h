// The simulated device: an H200 in all that programs ask about, but for its name and its memory (what the arena holds).
#pragma once
#include <stddef.h>

namespace simt {

constexpr char kDeviceName[] = "cusimt simulated GPU (sm_90)";
constexpr int kMajor = 9, kMinor = 0;
constexpr int kMultiprocessors = 132;
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kBlocksPerMultiprocessor = 32;
constexpr int kRegistersPerMultiprocessor = 65536;
constexpr int kThreadsPerBlock = 1024;
constexpr unsigned kBlockLimit[3] = {1024, 1024, 64};
constexpr unsigned kGridLimit[3] = {2147483647u, 65535, 65535};
constexpr size_t kSharedPerBlock = 49152;        // without opt-in
constexpr size_t kSharedPerBlockOptin = 232448;  // with cudaFuncAttributeMaxDynamicSharedMemorySize
constexpr size_t kSharedPerMultiprocessor = 233472;
constexpr size_t kReservedSharedPerBlock = 1024;
constexpr size_t kConstantBytes = 65536;
constexpr int kL2Bytes = 62914560;
constexpr int kClockKHz = 1980000;
constexpr int kMemoryClockKHz = 3201000;
constexpr int kMemoryBusBits = 6016;
constexpr int kVersion = 13000;  // of the runtime and of the driver

// Dynamic shared memory that a kernel may be launched with (cudaFuncSetAttribute); null: no particular kernel.
size_t dynamic_shared_limit(const void* function);
// Blocks of this shape that one multiprocessor holds at a time, by threads, blocks and shared memory.
int resident_blocks(int block_threads, size_t shared_bytes);
// The same of a kernel, with its static shared memory; 0 for more threads than it may have.
int resident_blocks_of(const void* function, int block_threads, size_t dynamic_shared);

}  // namespace simt
