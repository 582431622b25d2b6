// Race detection on global memory: checks each access against the records of earlier accesses to the word.
#include "global_races.h"

#include <algorithm>

#include "arena.h"
#include "execution.h"
#include "findings.h"
#include "global_cells.h"
#include "release_order.h"
#include "shared_memory.h"
#include "turns.h"
#include "unsettled.h"
#include "volatile_words.h"

namespace simt {

GlobalRaces global_races;

namespace {
int kind_of_write(Record record) {
    if (!(record & kStrongRecord)) return WRITE;
    if (record & kVolatileRecord) return WRITE | VOLATILE | (record & kSelectingRecord ? RELEASED : 0);
    int kind = READ | WRITE | ATOMIC | (record & kSelectingRecord ? SELECTING : 0);
    return kind | (record & kOfBlockRecord ? OF_BLOCK : 0);
}

int kind_of_read(Record record) {
    if (!(record & kStrongRecord)) return READ;
    return READ | VOLATILE | (record & kOfBlockRecord ? OF_BLOCK : 0);
}

Record record_of(int kind, const void* pc) {
    Record now = identity_of(shared_memory.moment(), execution.access.touch.thread);
    now |= reinterpret_cast<uintptr_t>(pc) & kCallSiteMask;
    if (kind & kStrong) now |= kStrongRecord;
    if (kind & OF_BLOCK) now |= kOfBlockRecord;
    if (!(kind & WRITE)) return now;
    if (kind & VOLATILE) now |= kVolatileRecord;
    if (kind & (SELECTING | RELEASED)) now |= kSelectingRecord;
    return now;
}

unsigned own_warp() { return execution.access.touch.thread / kWarpSize; }
}  // namespace

// ---- epochs and blocks ----------------------------------------------------------------------------------------------------

void GlobalRaces::forget_all() {
    variables_.clear();
    global_cells.forget_all();
    std::fill(std::begin(lane_writes_), std::end(lane_writes_), LaneWrite{});
}

void GlobalRaces::begin_launch(uint32_t epoch, int device, std::vector<LaunchBeside> beside) {
    blocks_.clear();
    stretches_.clear();
    synchronisation_words.forget();
    volatile_words.forget();
    beside_ = std::move(beside);
    pass_grid_barrier(epoch);
    bool present = global_cells.map();
    uintptr_t first = arena.region_begin(device) - arena.begin;
    execution.access.cells = present ? global_cells.words() + first / 4 : nullptr;
    execution.access.parts = present ? global_cells.parts() + first : nullptr;
}

// Beside other launches, earlier records count, so the hooks let no access pass: they know of no earlier launch, and of no
// thread that could be the running one.
void GlobalRaces::pass_grid_barrier(uint32_t epoch) {
    volatile_words.report_suspects();
    launch_epoch_ = epoch;
    execution.access.launch_epoch = beside_.empty() ? epoch : 0;
}

// The same where blocks take turns: their epochs are mixed.
void GlobalRaces::begin_turns() { execution.access.launch_epoch = 0; }

uint32_t GlobalRaces::begin_block(uint32_t epoch, uint64_t linear) {
    own_ = uint32_t(blocks_.size());
    blocks_.push_back({linear});
    stretches_.push_back({epoch, own_});
    execution.access.block_epoch = epoch;
    return own_;
}

void GlobalRaces::note_epoch(uint32_t epoch) {
    if (stretches_.back().block == own_) return;
    stretches_.push_back({epoch, own_});
}

bool GlobalRaces::has_touched(const void* pc, const Allocation& allocation) const {
    if (!execution.access.cells || allocation.region >= kDevices) return false;
    Record call_site = reinterpret_cast<uintptr_t>(pc) & kCallSiteMask;
    auto is_it = [&](Record record) { return epoch_of(record) >= launch_epoch_ && (record & kCallSiteMask) == call_site; };
    auto touched = [&](const GlobalCell& cell) { return is_it(cell.read) || (!(cell.write & kSplit) && is_it(cell.write)); };
    const GlobalCell *words = global_cells.words(), *parts = global_cells.parts();
    uintptr_t first = allocation.base - arena.begin, end = first + allocation.bytes;
    for (uintptr_t word = first / 4; word * 4 < end; ++word) {
        if (touched(words[word])) return true;
        if (words[word].write & kSplit && std::any_of(parts + word * 4, parts + word * 4 + 4, touched)) return true;
    }
    return false;
}

void GlobalRaces::end_launch() { volatile_words.report_suspects(); }

const GlobalRaces::BlockRecord& GlobalRaces::block_of(Record record) const {
    auto after = std::upper_bound(stretches_.begin(), stretches_.end(), epoch_of(record),
                                  [](uint32_t epoch, const Stretch& stretch) { return epoch < stretch.first; });
    return blocks_[std::prev(after)->block];
}

// ---- accesses -------------------------------------------------------------------------------------------------------------

void GlobalRaces::note(uintptr_t address, int kind) const {
    unsigned warp = own_warp();
    ReleaseOrder& order = running_block->order;
    if (!(kind & ATOMIC) && order.is_watching(warp)) order.note_access(warp, address);
    if (kind & kStrong) volatile_words.note(address, {own_, warp, shared_memory.moment()}, !(kind & WRITE));
}

void GlobalRaces::access(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    note(address, kind);
    track({arena.begin, global_cells.words(), global_cells.parts()}, {address, bytes, kind, pc});
}

void GlobalRaces::access_variable(uintptr_t section, uintptr_t section_bytes, uintptr_t address, uintptr_t bytes, int kind,
                                  const void* pc) {
    uintptr_t begin = section / 4 * 4, words = (section + section_bytes - begin) / 4 + 1;
    note(address, kind);
    std::vector<GlobalCell>& cells = variables_[begin];
    if (cells.size() < words * 5) cells.assign(words * 5, {});
    bytes = std::min(bytes, section + section_bytes - address);
    track({begin, cells.data() + words * 4, cells.data()}, {address, bytes, kind, pc});
}

void GlobalRaces::track(const Shadow& shadow, const GlobalAccess& access) {
    Record now = record_of(access.kind, access.pc);
    uintptr_t first = access.address - shadow.begin, end = first + access.bytes;
    bool reported = false;
    for (uintptr_t word = first / 4; word * 4 < end; ++word) {
        GlobalCell& cell = shadow.words[word];
        uintptr_t from = std::max(first, word * 4), to = std::min(end, word * 4 + 4);
        bool is_split = cell.write & kSplit && (epoch_of(cell.write) >= launch_epoch_ || beside_of(cell.write, access.address));
        if (to - from == 4 && !is_split) {
            reported = touch(cell, now, access, reported);
            continue;
        }
        if (!is_split) split(shadow, word);
        for (uintptr_t byte = from; byte < to; ++byte) reported = touch(shadow.parts[byte], now, access, reported);
    }
}

void GlobalRaces::split(const Shadow& shadow, uintptr_t word) {
    for (uintptr_t byte = word * 4; byte < word * 4 + 4; ++byte) shadow.parts[byte] = shadow.words[word];
    shadow.words[word] = {identity_of(shared_memory.moment(), 0) | kSplit, 0};
}

// What with_read compares a record's epoch with: blocks that take turns have no range of epochs of their own.
uint32_t GlobalRaces::block_epoch_of(Record record) const {
    if (epoch_of(record) < launch_epoch_) return 0;
    return &block_of(record) == &own() ? 0 : ~0u;
}

uint32_t GlobalRaces::barrier_epoch_of(Record record) const {
    if (epoch_of(record) < launch_epoch_) return ~0u;
    return &block_of(record) == &own() ? shared_memory.epoch() : ~0u;
}

bool GlobalRaces::touch(GlobalCell& cell, Record now, const GlobalAccess& access, bool reported) {
    int writer = kind_of_write(cell.write), reader = kind_of_read(cell.read);
    if (is_waiting(cell, now, access.kind)) volatile_words.note_wait(access.address);
    // A read first: a write may turn out to be of the same value.
    reported = reported || races_with_launch_beside(cell, access);
    if (access.kind & WRITE) reported = reported || settle(conflict_with_reads(cell.read, access), cell.read, reader, access);
    reported = reported || settle(conflict(cell.write, writer, access), cell.write, writer, access);
    reported = reported || settle(conflict_of_lanes(cell, writer, access), cell.write, writer, access);
    note_lane(cell, access.kind);
    if (access.kind & WRITE) cell.write = now;
    else if (!beside_of(cell.read, access.address))
        cell.read = with_read(cell.read, now, launch_epoch_, block_epoch_of(cell.read), barrier_epoch_of(cell.read));
    return reported;
}

// The thread reads the word at the same place of the program as it did before, and nobody has written it since.
bool GlobalRaces::is_waiting(const GlobalCell& cell, Record now, int kind) const {
    if (!(kind & kStrong) || kind & WRITE || !(cell.read & kStrongRecord)) return false;
    uint32_t before = epoch_of(cell.read), written = epoch_of(cell.write);
    if (before < launch_epoch_ || (written >= launch_epoch_ && written >= before)) return false;
    bool is_same = thread_of(cell.read) == thread_of(now) && (cell.read & kCallSiteMask) == (now & kCallSiteMask);
    return is_same && &block_of(cell.read) == &own();
}

// Null for memory that is not tracked.
const GlobalCell* GlobalRaces::cell_at(uintptr_t address) const {
    if (uintptr_t offset = address - arena.begin; offset < arena.device_bytes()) return &global_cells.words()[offset / 4];
    auto after = variables_.upper_bound(address);
    if (after == variables_.begin()) return nullptr;
    const auto& [begin, cells] = *std::prev(after);
    uintptr_t words = cells.size() / 5, word = (address - begin) / 4;
    return word < words ? &cells[words * 4 + word] : nullptr;
}

bool GlobalRaces::is_written_by_another_warp(uintptr_t address) const {
    const GlobalCell* cell = cell_at(address);
    if (!cell || epoch_of(cell->write) < launch_epoch_) return false;
    if (cell->write & kSplit) return true;  // perhaps
    bool is_own = thread_of(cell->write) / kWarpSize == own_warp() && &block_of(cell->write) == &own();
    return cell->write & kStrongRecord && !is_own;
}

const LaunchBeside* GlobalRaces::beside_of(Record record, uintptr_t address) const {
    for (const LaunchBeside& each : beside_) {
        bool is_theirs = epoch_of(record) - each.epochs.first < each.epochs.end - each.epochs.first;
        if (is_theirs && address >= each.begin && address < each.end) return &each;
    }
    return nullptr;
}

namespace {
// May both happen to one word of global memory at the same time, by what they are? Any two strong accesses may: between
// blocks, volatile data look like flags.
bool compatible_in_global(int earlier, int later) {
    int write = later & WRITE ? later : earlier, other = later & WRITE ? earlier : later;
    if (write & SELECTING && !(other & WRITE)) return true;  // a guess that the atomic verifies
    return earlier & kStrong && later & kStrong;
}
}  // namespace

// Reports it, too. Of two plain writes it is not known yet whether they are of one value.
bool GlobalRaces::races_with_launch_beside(const GlobalCell& cell, const GlobalAccess& access) const {
    if (beside_.empty() || own().has_acquired) return false;
    for (auto [record, earlier_kind] :
         {std::pair(cell.read, kind_of_read(cell.read)), {cell.write, kind_of_write(cell.write)}}) {
        const LaunchBeside* other = beside_of(record, access.address);
        if (!other || !((earlier_kind | access.kind) & WRITE) || compatible_in_global(earlier_kind, access.kind)) continue;
        Report unordered{.kind = "stream_order",
                         .access = access.kind,
                         .bytes = access.bytes,
                         .address = access.address,
                         .space = "global",
                         .allocation = nearest_allocation(access.address),
                         .note = other->launches};
        if (earlier_kind == WRITE && access.kind == WRITE)
            unsettled_writes.add(std::move(unordered), access.address, access.bytes);
        else report(unordered);
        return true;
    }
    return false;
}

bool GlobalRaces::is_ordered(Record earlier, int earlier_kind, const GlobalAccess& access) const {
    uint32_t moment = epoch_of(earlier);
    if (moment < launch_epoch_) return true;
    const BlockRecord& other = block_of(earlier);
    unsigned other_warp = thread_of(earlier) / kWarpSize, warp = own_warp();
    if (&other == &own()) {
        if (moment < shared_memory.epoch() || thread_of(earlier) == execution.access.touch.thread) return true;
        // Within a warp, any collective so far may have ordered the two: see conflict_of_lanes.
        if (other_warp == warp && running_block->warp_of(thread_of(earlier)).clocks.has_met()) return true;
    } else if (earlier_kind & kStrong && !(access.kind & kStrong) && other.released >= moment && own().has_acquired) {
        return true;  // a flag that is used up
    }
    return is_released(earlier, access);
}

bool GlobalRaces::is_released(Record earlier, const GlobalAccess& access) const {
    const Block& block = *running_block;
    unsigned other_warp = thread_of(earlier) / kWarpSize, warp = own_warp();
    auto number = uint32_t(&block_of(earlier) - blocks_.data());
    uint32_t moment = epoch_of(earlier);
    if (access.kind & WRITE && block.order.was_early(number, other_warp, moment, access.address, warp)) return false;
    return block.order.happens_before(number, other_warp, moment, warp);
}

// One of the two was or is in a critical section of a lock that both threads held, but before its first fence.
bool GlobalRaces::begins_without_fence(Record earlier, const GlobalAccess& access) const {
    const ReleaseOrder& order = running_block->order;
    unsigned other_warp = thread_of(earlier) / kWarpSize, warp = own_warp();
    auto number = uint32_t(&block_of(earlier) - blocks_.data());
    return order.lacks_fence(number, other_warp, epoch_of(earlier), warp) ||
           order.was_early(number, other_warp, epoch_of(earlier), access.address, warp);
}

GlobalRaces::Conflict GlobalRaces::conflict(Record earlier, int earlier_kind, const GlobalAccess& access) const {
    if (epoch_of(earlier) < launch_epoch_ || is_ordered(earlier, earlier_kind, access)) return Conflict::none;
    return conflict_of_kinds(earlier, earlier_kind, access);
}

GlobalRaces::Conflict GlobalRaces::conflict_of_kinds(Record earlier, int earlier_kind, const GlobalAccess& access) const {
    int kind = access.kind, write = kind & WRITE ? kind : earlier_kind, other = kind & WRITE ? earlier_kind : kind;
    if (earlier_kind & kStrong && kind & kStrong) {
        if ((earlier_kind | kind) & OF_BLOCK && &block_of(earlier) != &own()) return Conflict::race;
        return earlier_kind & kind & ATOMIC ? Conflict::none : conflict_of_volatile(earlier, earlier_kind, access);
    }
    return write & SELECTING && !(other & WRITE) ? Conflict::guess : Conflict::race;
}

// One of the two is volatile, the other one is as well, or an atomic. See volatile_words.h.
GlobalRaces::Conflict GlobalRaces::conflict_of_volatile(Record earlier, int earlier_kind, const GlobalAccess& access) const {
    uint32_t block = uint32_t(&block_of(earlier) - blocks_.data()), moment = epoch_of(earlier);
    unsigned warp = own_warp(), other_warp = thread_of(earlier) / kWarpSize;
    const ReleaseOrder& order = running_block->order;
    if (block == own_ && warp == other_warp) return Conflict::none;
    if (volatile_words.is_waited_for(access.address)) return Conflict::none;
    bool is_write = access.kind & WRITE, was_write = earlier_kind & WRITE;
    if (is_write && was_write) {
        if (order.has_read_since(warp, access.address, moment)) return Conflict::none;
        if (earlier_kind & access.kind & VOLATILE) return Conflict::unless_waited_for;
        bool is_lock = order.is_in_critical_section(warp, access.address);
        if ((earlier_kind | access.kind) & RELEASED || is_lock) return Conflict::none;
        return earlier_kind & VOLATILE ? Conflict::unless_waited_for : Conflict::unless_looked_at;
    }
    if (was_write) {
        if (earlier_kind & ATOMIC) return Conflict::none;
        bool is_observed = !(earlier_kind & RELEASED) && order.has_observed(warp, block, other_warp, moment);
        return is_observed || order.is_in_another_critical_section(warp, access.address) ? Conflict::race : Conflict::none;
    }
    if (access.kind & ATOMIC) return Conflict::none;
    const Reader* first = volatile_words.first_reader(access.address);
    bool knows_first = first && first->block == block && first->warp == other_warp &&
                       order.happens_before(block, other_warp, first->moment, warp);
    return knows_first ? Conflict::unless_looked_at : Conflict::none;
}

// Of several plain readers at least one was another block, or another warp.
GlobalRaces::Conflict GlobalRaces::conflict_with_reads(Record earlier, const GlobalAccess& access) const {
    Conflict latest = conflict(earlier, kind_of_read(earlier), access);
    if (latest == Conflict::race) return latest;
    if (epoch_of(earlier) < launch_epoch_ || earlier & kStrongRecord) return latest;
    unsigned thread = execution.access.touch.thread;
    bool is_own = &block_of(earlier) == &own() && epoch_of(earlier) >= shared_memory.epoch();
    bool has_acquired = running_block->signals.has_acquired(thread, shared_memory.epoch());
    bool others = (is_own && earlier & kOtherWarps && !has_acquired) || (earlier & kOtherBlocks && !own().has_acquired);
    return others ? conflict_of_kinds(earlier, READ, access) : latest;
}

// Records have no time of a warp's clock. Of a write that came to the slow path it is known: the second of several lanes that
// write one word, and each one after it, are compared like accesses to shared memory.
GlobalRaces::Conflict GlobalRaces::conflict_of_lanes(const GlobalCell& cell, int writer, const GlobalAccess& access) {
    if (access.kind != WRITE || writer != WRITE) return Conflict::none;
    unsigned earlier = thread_of(cell.write), thread = execution.access.touch.thread;
    const LaneWrite& latest = lane_write(cell);
    if (latest.cell != &cell || !same_thread_and_epoch(latest.identity, cell.write) || earlier == thread) return Conflict::none;
    if (earlier / kWarpSize != own_warp() || epoch_of(cell.write) < std::max(launch_epoch_, shared_memory.epoch()))
        return Conflict::none;
    const LaneClocks& clocks = running_block->warp_of(thread).clocks;
    bool is_ordered = &block_of(cell.write) != &own() ||
                      clocks.ordered(earlier % kWarpSize, latest.clock, thread % kWarpSize) || is_released(cell.write, access);
    return is_ordered ? Conflict::none : Conflict::race;
}

void GlobalRaces::note_lane(const GlobalCell& cell, int kind) {
    unsigned thread = execution.access.touch.thread;
    const LaneClocks& clocks = running_block->warp_of(thread).clocks;
    if (kind == WRITE && clocks.has_met()) lane_write(cell) = {&cell, identity_of(shared_memory.moment(), thread), clocks.now};
}

bool GlobalRaces::settle(Conflict conflict, Record earlier, int earlier_kind, const GlobalAccess& access) const {
    if (conflict == Conflict::none) return false;
    if (conflict == Conflict::guess && !is_strict()) return false;
    Report race = race_between(earlier, earlier_kind, access);
    if (conflict == Conflict::guess) {
        race.kind = "plain_guess";
        report(race);
        return false;  // there may be a race as well
    }
    bool both_write = earlier_kind & access.kind & WRITE;
    bool may_be_equal = both_write && !(earlier_kind & ATOMIC) && !(access.kind & READ && earlier_kind == WRITE);
    if (conflict == Conflict::unless_looked_at) {
        uint32_t block = uint32_t(&block_of(earlier) - blocks_.data());
        volatile_words.suspect(std::move(race), Reader{block, thread_of(earlier) / kWarpSize, 0});
    } else if (may_be_equal) {
        unsettled_writes.add(std::move(race), access.address, access.bytes, conflict == Conflict::unless_waited_for);
    } else if (conflict == Conflict::unless_waited_for) {
        volatile_words.suspect(std::move(race));
    } else {
        report(race);
    }
    return true;
}

const void* call_site_of(Record record, const void* near) {
    // Of the return address only the low bits are kept: the same half megabyte of code as the other access, or the one before.
    uintptr_t here = reinterpret_cast<uintptr_t>(near), site = (here & ~uintptr_t(kCallSiteMask)) | (record & kCallSiteMask);
    const simt_module& module = *execution.launch->module;
    if (site >= reinterpret_cast<uintptr_t>(module.text_end)) site -= kCallSiteMask + 1;
    if (site < reinterpret_cast<uintptr_t>(module.text_begin)) site += kCallSiteMask + 1;
    return reinterpret_cast<const void*>(site);
}

Report GlobalRaces::race_between(Record earlier, int earlier_kind, const GlobalAccess& access) const {
    auto [address, bytes, kind, pc] = access;
    const BlockRecord& block = block_of(earlier);
    Party other{call_site_of(earlier, pc), earlier_kind, block_index(*execution.launch, block.linear),
                execution.thread_index[thread_of(earlier)]};
    // The recorded reader is this thread itself: another one has read, too.
    other.is_thread_unknown = thread_of(earlier) == execution.access.touch.thread && &block == &own();
    other.is_block_unknown = other.is_thread_unknown && !(earlier & kOtherWarps);
    bool earlier_writes = earlier_kind & WRITE;
    std::string note = !earlier_writes ? "write after read" : kind & WRITE ? "write after write" : "read after write";
    if (own().has_acquired && &block != &own() && block.released >= epoch_of(earlier) && earlier_writes) {
        note += ", announced without a __threadfence()";
    } else if (begins_without_fence(earlier, access)) {
        note += ", in a critical section that begins without a __threadfence()";
    }
    if ((earlier_kind | kind) & OF_BLOCK) note += ", an atomic of block scope";
    bool is_one_block = &block == &own() && kind == WRITE && earlier_kind == WRITE;
    return {.kind = "race_global",
            .call_site = pc,
            .access = kind,
            .bytes = bytes,
            .address = address,
            .space = "global",
            .allocation = nearest_allocation(address),
            .other = other,
            .lanes = is_one_block ? lanes_of(other, thread_of(earlier), pc) : std::nullopt,
            .note = note};
}

}  // namespace simt

extern "C" void simt_check_race(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    simt::global_races.access(address, bytes, kind, pc);
}
