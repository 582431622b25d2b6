// The bytes that a phase of a barrier object expects beside its arrivals (expect_tx), less those that copies have brought: a
// phase ends when nothing is left of either. A copy may bring its bytes before they are expected, so a balance may be negative.
#pragma once
#include <stdint.h>

#include <string>
#include <unordered_map>

namespace simt {

class Transactions {
  public:
    struct Balance {
        int64_t expected = 0, brought = 0;
        const void* call_site = nullptr;  // of the latest that expected bytes
        unsigned thread = 0;
        int64_t missing() const { return expected - brought; }
    };

    void begin_block() {
        if (!balances_.empty()) balances_.clear();
    }
    // A new phase, or another object at this address.
    void forget(const void* barrier) {
        if (!balances_.empty()) balances_.erase(barrier);
    }
    // False: a barrier object cannot count so many.
    bool expect(const void* barrier, uint64_t bytes, unsigned thread, const void* call_site);
    void bring(const void* barrier, uint64_t bytes) { balances_[barrier].brought += int64_t(bytes); }
    const Balance* find(const void* barrier) const;
    bool is_settled(const void* barrier) const {
        const Balance* balance = find(barrier);
        return !balance || balance->missing() == 0;
    }

  private:
    std::unordered_map<const void*, Balance> balances_;  // of objects whose phase has any
};

}  // namespace simt
