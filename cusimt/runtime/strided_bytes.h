// Bytes in runs of one width, at regular distances: a block of memory, the rows of a pitched matrix, the elements of a view.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <functional>
#include <vector>

#include "simt_api.h"

namespace simt {

class StridedBytes {
  public:
    StridedBytes() = default;
    // `strides` in any order; what leaves no gap becomes one run.
    StridedBytes(uintptr_t begin, size_t width, std::vector<simt_stride> strides = {});

    uintptr_t begin() const { return begin_; }
    uintptr_t end() const;  // behind the last byte
    // Whether a byte is in both. False, too, of patterns that would take too long to compare.
    bool meets(const StridedBytes& other) const;
    // Whether every byte of the other is known to be in this one.
    bool covers(const StridedBytes& other) const;
    // Whether `visit(begin, end)` is true for any run; stops at the first.
    bool any_run(const std::function<bool(uintptr_t, uintptr_t)>& visit) const;

  private:
    uintptr_t begin_ = 0;
    size_t width_ = 0;
    std::vector<simt_stride> strides_;  // the farthest apart first
};

}  // namespace simt
