// Grids of programs that an interpreter of another language runs: Triton's, whose kernels are Python.
//
// A program is a block without threads of its own: it loads and stores tiles. The interpreter runs the programs one after
// another, in the order of the schedule, and makes each access here. Then the accesses are undone and made again, by a launch:
// a block for each program, whose threads share the elements of a tile in the order of their addresses. So everything that is
// known about CUDA kernels is known about programs: overruns, uninitialised reads, races between programs, who wrote each byte,
// sectors, streams. The order within a program is that of the interpreter, so a barrier separates its accesses; it is not
// counted, because no program makes it.
//
// The code of a program is a line of a file: a file is a module whose addresses are its lines.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "simt_api.h"

namespace simt {

struct TileAccess {
    int line = 0, kind = 0;  // AccessKind
    uint32_t bytes = 0;      // of an element
    size_t begin = 0, count = 0;
};

class Programs {
  public:
    explicit Programs(const simt_program_grid& grid);
    uint64_t next();
    void load(const simt_tile& tile, void* values);
    void store(const simt_tile& tile, const void* values);
    // Atomics are computed by the interpreter, between the two.
    void begin_update(const simt_tile& tile, uint8_t* usable);
    void end_update();
    void undo();
    int launch();

  private:
    struct Range {
        size_t begin = 0, end = 0;  // of accesses_
    };
    static void run_thread(void* closure);
    void replay(unsigned thread, unsigned threads, const Range& range);
    void make(const TileAccess& access, size_t element, const void* pc);
    TileAccess& append(const simt_tile& tile, int kind);
    void order_by_address(const TileAccess& access);
    void keep(uintptr_t address, uint32_t bytes);

    simt_launch launch_{};
    std::string kernel_, file_;
    simt_module* module_;
    std::vector<uint64_t> parameters_;  // this object, then the pointers that the kernel was given
    uint64_t programs_ = 0, position_ = 0, running_ = 0;
    std::vector<Range> ranges_;
    std::vector<TileAccess> accesses_;
    std::vector<uintptr_t> addresses_;  // of elements that take part
    std::vector<uint8_t> values_;       // of those that are written, kWidest bytes each
    struct Before {
        uintptr_t address;
        uint32_t bytes;
        uint8_t value[8];
    };
    std::vector<Before> before_;
};

}  // namespace simt
