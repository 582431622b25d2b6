// The order in which blocks and threads run. Correct device code gives the same answer in every order; a run in a second order
// exposes code that worked by luck. All orders are deterministic.
#pragma once
#include <stdint.h>

#include <numeric>
#include <string>

namespace simt {

inline uint64_t mixed(uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

class Schedule {
  public:
    enum Order { forward = 0, reversed = 1, seeded = 2 };
    Schedule() = default;
    Schedule(Order order, uint64_t seed) : order_(order), seed_(seed) {}
    bool is_forward() const { return order_ == forward; }
    std::string name() const {
        return order_ == forward ? "forward" : order_ == reversed ? "reversed" : "seeded:" + std::to_string(seed_);
    }

    // The element that comes at `position` in an order of `count` elements; `salt` gives each block its own.
    uint64_t at(uint64_t position, uint64_t count, uint64_t salt) const {
        if (order_ == forward || count < 2) return position;
        if (order_ == reversed) return count - 1 - position;
        return permuted(position, count, salt);
    }
    unsigned pick(unsigned count, uint64_t salt) const {
        if (order_ != seeded || count < 2) return 0;
        return unsigned(mixed(seed_ ^ salt) % count);
    }

  private:
    // A call, so that the loops over blocks and threads stay small.
    __attribute__((noinline)) uint64_t permuted(uint64_t position, uint64_t count, uint64_t salt) const {
        // position -> (a * position + b) mod count is a permutation when a and count have no common factor.
        uint64_t a = mixed(seed_ ^ salt) % count, b = mixed(seed_ + salt + 1) % count;
        while (std::gcd(a, count) != 1) ++a;
        return uint64_t((static_cast<unsigned __int128>(a) * position + b) % count);
    }

    Order order_ = forward;
    uint64_t seed_ = 0;
};

}  // namespace simt
