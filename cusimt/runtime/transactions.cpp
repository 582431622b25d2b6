#include "transactions.h"

namespace simt {

static constexpr int64_t kMostBytes = (1 << 20) - 1;

bool Transactions::expect(const void* barrier, uint64_t bytes, unsigned thread, const void* call_site) {
    Balance& balance = balances_[barrier];
    balance.expected += int64_t(bytes);
    balance.call_site = call_site;
    balance.thread = thread;
    return bytes <= uint64_t(kMostBytes) && balance.missing() <= kMostBytes;
}

const Transactions::Balance* Transactions::find(const void* barrier) const {
    if (balances_.empty()) return nullptr;
    auto found = balances_.find(barrier);
    return found == balances_.end() ? nullptr : &found->second;
}

}  // namespace simt
