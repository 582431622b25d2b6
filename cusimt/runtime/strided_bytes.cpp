// Intersects and enumerates runs of bytes at regular distances.
#include "strided_bytes.h"

#include <algorithm>

namespace simt {

namespace {
constexpr int kMostSteps = 1 << 16;

// The part of a pattern from one of its dimensions on.
struct Part {
    int64_t begin;
    int64_t width;
    const simt_stride* strides;
    size_t dimensions;

    int64_t end() const {
        int64_t end = begin + width;
        for (size_t i = 0; i < dimensions; ++i) end += int64_t(strides[i].count - 1) * int64_t(strides[i].bytes);
        return end;
    }
    int64_t count() const { return int64_t(strides[0].count); }
    int64_t distance() const { return int64_t(strides[0].bytes); }
    Part first_row() const { return {begin, width, strides + 1, dimensions - 1}; }
    Part moved(int64_t by) const { return {begin + by, width, strides, dimensions}; }
};

int64_t floor_division(int64_t a, int64_t b) { return a / b - (a % b < 0); }

class Comparison {
  public:
    bool meet(const Part& a, const Part& b) {
        if (--steps_left_ < 0 || b.end() <= a.begin || a.end() <= b.begin) return false;
        if (a.dimensions == 0 && b.dimensions == 0) return true;
        if (a.dimensions && b.dimensions && a.distance() == b.distance()) {
            // Of two rows it only matters how many rows they are apart.
            return some_row_meets(b.first_row(), a.distance(), 1 - a.count(), b.count() - 1, a.first_row());
        }
        bool split_a = b.dimensions == 0 || (a.dimensions && a.end() - a.begin > b.end() - b.begin);
        const Part &rows = split_a ? a : b, &other = split_a ? b : a;
        return some_row_meets(rows.first_row(), rows.distance(), 0, rows.count() - 1, other);
    }

  private:
    // The row, moved by the distance `first` to `last` times: only the moves that bring it to `other` are looked at.
    bool some_row_meets(const Part& row, int64_t distance, int64_t first, int64_t last, const Part& other) {
        first = std::max(first, floor_division(other.begin - row.end(), distance) + 1);
        last = std::min(last, floor_division(other.end() - 1 - row.begin, distance));
        for (int64_t i = first; i <= last && steps_left_ > 0; ++i) {
            if (meet(row.moved(i * distance), other)) return true;
        }
        return false;
    }

    int steps_left_ = kMostSteps;
};

bool some_run(const Part& part, const std::function<bool(uintptr_t, uintptr_t)>& visit) {
    if (part.dimensions == 0) return visit(uintptr_t(part.begin), uintptr_t(part.end()));
    for (int64_t i = 0; i < part.count(); ++i) {
        if (some_run(part.first_row().moved(i * part.distance()), visit)) return true;
    }
    return false;
}

bool same(const simt_stride& a, const simt_stride& b) { return a.count == b.count && a.bytes == b.bytes; }
}  // namespace

StridedBytes::StridedBytes(uintptr_t begin, size_t width, std::vector<simt_stride> strides)
    : begin_(begin), width_(width), strides_(std::move(strides)) {
    std::erase_if(strides_, [](const simt_stride& each) { return each.count <= 1 || each.bytes == 0; });
    std::sort(strides_.begin(), strides_.end(), [](auto& a, auto& b) { return a.bytes > b.bytes; });
    while (!strides_.empty() && strides_.back().bytes <= width_) {
        width_ += (strides_.back().count - 1) * strides_.back().bytes;
        strides_.pop_back();
    }
}

uintptr_t StridedBytes::end() const {
    return uintptr_t(Part{int64_t(begin_), int64_t(width_), strides_.data(), strides_.size()}.end());
}

bool StridedBytes::meets(const StridedBytes& other) const {
    return Comparison().meet({int64_t(begin_), int64_t(width_), strides_.data(), strides_.size()},
                             {int64_t(other.begin_), int64_t(other.width_), other.strides_.data(), other.strides_.size()});
}

bool StridedBytes::covers(const StridedBytes& other) const {
    if (strides_.empty()) return begin_ <= other.begin_ && other.end() <= end();
    return begin_ == other.begin_ && width_ == other.width_ &&
           std::equal(strides_.begin(), strides_.end(), other.strides_.begin(), other.strides_.end(), same);
}

bool StridedBytes::any_run(const std::function<bool(uintptr_t, uintptr_t)>& visit) const {
    return some_run({int64_t(begin_), int64_t(width_), strides_.data(), strides_.size()}, visit);
}

}  // namespace simt
