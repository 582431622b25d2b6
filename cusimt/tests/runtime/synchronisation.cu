// Unusual, but right, ways in which threads order their work, each beside a twin that lacks one fence, scope or barrier:
// `synchronisation ORDER [NAME...]` runs every case right and wrong under a schedule (0 forward, 1 reversed, 2 random) and
// prints, for each, "# NAME right|wrong ERROR" and what was found, as JSON lines. `right` is what the kernels take.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <cuda/barrier>
#include <set>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

extern "C" const char* simt_take_findings();
extern "C" void simt_reset();
extern "C" void simt_set_schedule(int, unsigned long);

using V = volatile int;
template <class T>
using device_ref = cuda::atomic_ref<T, cuda::thread_scope_device>;
template <class T>
using block_ref = cuda::atomic_ref<T, cuda::thread_scope_block>;

__device__ void fence_if(bool wanted) {
    if (wanted) __threadfence();
}
__device__ void take(int* lock) {
    while (atomicCAS(lock, 0, 1) != 0) {}
}
__device__ void give_back(int* lock) { atomicExch(lock, 0); }

// ---- locks ---------------------------------------------------------------------------------------------------------------

// What comes between the CAS and the fence belongs to nobody else.
__global__ void lock_with_own_data_first(int* c, int* lock, const int* in, int* out, bool right) {
    if (threadIdx.x) return;
    take(lock);
    int mine = in[blockIdx.x];
    out[blockIdx.x] = mine;
    if (!right) c[0] += 1;
    __threadfence();
    c[1] += mine + 1;
    __threadfence();
    give_back(lock);
}
// One warp holds more locks at a time than any table of a fixed size remembers.
__global__ void many_locks_at_once(int* c, int* locks, int n, bool right) {
    if (threadIdx.x) return;
    for (int i = 0; i < n; ++i) take(&locks[i]);
    fence_if(right);
    for (int i = 0; i < n; ++i) c[i] += 1;
    __threadfence();
    for (int i = n; i-- > 0;) give_back(&locks[i]);
}
// The same, and one after the other: each lock is its own critical section within the outer one.
__global__ void lock_around_counters(int* c, int* lock, unsigned* counters, int n, bool right) {
    if (threadIdx.x) return;
    take(lock);
    __threadfence();
    c[0] += 1;
    for (int i = 0; i < n; ++i) {
        unsigned seen = counters[i * gridDim.x + blockIdx.x];
        atomicCAS(&counters[i * gridDim.x + blockIdx.x], seen, seen + 1);
    }
    c[1] += 1;
    fence_if(right);
    give_back(lock);
}
// Hand over hand along a list: the next node's lock is taken before this one's is given back.
__global__ void hand_over_hand(int* values, int* locks, int n, bool right) {
    if (threadIdx.x) return;
    take(&locks[0]);
    __threadfence();
    for (int i = 0; i < n; ++i) {
        values[i] += 1;
        if (i + 1 < n) {
            take(&locks[i + 1]);
            fence_if(right);
        }
        __threadfence_block();
        fence_if(right);
        give_back(&locks[i]);
    }
}
// Each lane takes the lock of its own bucket.
__global__ void locked_buckets(int* sums, int* locks, int buckets, int rounds, bool right) {
    unsigned key = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < rounds; ++i) {
        key = key * 1664525u + 1013904223u;
        unsigned bucket = key / 7 % unsigned(buckets);
        for (bool done = false; !done;) {
            if (atomicCAS(&locks[bucket], 0, 1) == 0) {
                __threadfence();
                sums[bucket] += 1;
                fence_if(right);
                atomicExch(&locks[bucket], 0);
                done = true;
            }
        }
    }
}
__global__ void two_locks_in_order(int* accounts, int* locks, bool right) {
    if (threadIdx.x) return;
    int a = int(blockIdx.x) % 4, b = (a + 1) % 4, first = min(a, b), second = max(a, b);
    take(&locks[first]);
    take(&locks[second]);
    fence_if(right);
    accounts[a] -= 1;
    accounts[b] += 1;
    __threadfence();
    give_back(&locks[second]);
    give_back(&locks[first]);
}
// Looks before it tries.
__global__ void test_and_test_and_set(int* c, int* lock, bool right) {
    if (threadIdx.x % 32) return;
    for (;;) {
        while (*static_cast<V*>(lock)) {}
        if (atomicCAS(lock, 0, 1) == 0) break;
    }
    __threadfence();
    c[0] += 1;
    fence_if(right);
    *static_cast<V*>(lock) = 0;
}
__global__ void exchanged_lock(int* c, int* lock, bool right) {
    if (threadIdx.x) return;
    while (atomicExch(lock, 1) != 0) {}
    __threadfence();
    c[0] += 1;
    fence_if(right);
    atomicExch(lock, 0);
}
__global__ void ticket_lock(int* c, unsigned* next, unsigned* serving, bool right) {
    if (threadIdx.x % 32) return;
    device_ref<unsigned> tickets(*next), turn(*serving);
    unsigned mine = tickets.fetch_add(1, cuda::memory_order_relaxed);
    while (turn.load(cuda::memory_order_acquire) != mine) {}
    c[0] += 1;
    turn.store(mine + 1, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
}
// A queue of waiters, each of whom waits at a word of its own (Mellor-Crummey and Scott).
__global__ void queue_lock(int* c, int* tail, V* next, V* waits, bool right) {
    if (threadIdx.x) return;
    int me = int(blockIdx.x) + 1;
    next[me] = 0;
    waits[me] = 1;
    __threadfence();
    if (int before = atomicExch(tail, me)) {
        next[before] = me;
        while (waits[me]) {}
    }
    __threadfence();
    c[0] += 1;
    fence_if(right);
    if (next[me] == 0) {
        if (atomicCAS(tail, me, 0) == me) return;
        while (next[me] == 0) {}
    }
    waits[next[me]] = 0;
}
// Many readers or one writer.
__global__ void readers_and_writers(int* data, int* state, int* out, bool right) {
    if (threadIdx.x) return;
    if (blockIdx.x % 3 == 0) {
        while (atomicCAS(state, 0, -1) != 0) {}
        __threadfence();
        data[0] += 1;
        data[1] += 1;
        fence_if(right);
        atomicExch(state, 0);
    } else {
        for (;;) {
            int seen = atomicAdd(state, 0);
            if (seen >= 0 && atomicCAS(state, seen, seen + 1) == seen) break;
        }
        __threadfence();
        out[blockIdx.x] = data[0] - data[1];
        __threadfence();
        atomicSub(state, 1);
    }
}
__global__ void lock_of_the_block(int* c, int* lock, bool right) {
    if (threadIdx.x % 32) return;
    int* own = right ? &c[blockIdx.x] : c;
    while (atomicCAS_block(&lock[blockIdx.x], 0, 1) != 0) {}
    __threadfence_block();
    own[0] += 1;
    __threadfence_block();
    atomicExch_block(&lock[blockIdx.x], 0);
}
__global__ void lock_object(int* c, int* word, bool right) {
    if (threadIdx.x % 32) return;
    device_ref<int> lock(*word);
    int open = 0;
    while (!lock.compare_exchange_weak(open, 1, cuda::memory_order_acquire)) open = 0;
    c[0] += 1;
    lock.store(0, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
}
// Set up by the first to come: nobody takes the lock afterwards.
__global__ void double_checked(int* table, V* ready, int* lock, int* out, bool right) {
    if (threadIdx.x) return;
    if (!*ready) {
        take(lock);
        __threadfence();
        if (!*ready) {
            table[0] = 7;
            fence_if(right);
            *ready = 1;
        }
        __threadfence();
        give_back(lock);
    }
    __threadfence();
    out[blockIdx.x] = table[0];
}
// 0: nobody, 1: somebody is at it, 2: done.
__global__ void once(int* table, int* state, int* out, bool right) {
    if (threadIdx.x) return;
    if (atomicCAS(state, 0, 1) == 0) {
        table[0] = 7;
        fence_if(right);
        atomicExch(state, 2);
    } else {
        while (atomicAdd(state, 0) != 2) {}
    }
    __threadfence();
    out[blockIdx.x] = table[0];
}

// ---- flags ---------------------------------------------------------------------------------------------------------------

// A flag for each block, and every block asks all before it.
__global__ void flag_per_block(const int* in, int* kept, V* counts, V* flags, bool right) {
    __shared__ int offset;
    int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    int total = __syncthreads_count(mine % 3 == 0);
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = total;
        fence_if(right);
        flags[blockIdx.x] = 1;
        int sum = 0;
        for (int b = 0; b < int(blockIdx.x); ++b) {
            while (!flags[b]) {}
            __threadfence();
            sum += counts[b];
        }
        offset = sum;
        if (!right && blockIdx.x + 1 == gridDim.x) kept[0] = 1;
    }
    __syncthreads();
    if (mine % 3 == 0 && (blockIdx.x || !threadIdx.x)) kept[offset] = mine;
}
// State 1: this block's own sum is there; 2: the sum of all up to it.
__global__ void look_back(int* own, int* all, int* states, int* out, bool right) {
    if (threadIdx.x) return;
    int b = int(blockIdx.x), before = 0;
    own[b] = b + 1;
    fence_if(right);
    atomicExch(&states[b], 1);
    for (int i = b - 1; i >= 0;) {
        int state = atomicAdd(&states[i], 0);
        if (state == 0) continue;
        __threadfence();
        before += state == 2 ? all[i] : own[i];
        if (state == 2) break;
        --i;
    }
    all[b] = before + b + 1;
    fence_if(right);
    atomicExch(&states[b], 2);
    out[b] = before;
}
__global__ void hand_over(int* data, V* flag, int* out, bool right) {
    if (blockIdx.x == 0) {
        data[0] = 7;
        fence_if(right);
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[0] = data[0];
    }
}
// The reader empties the word, which is all there is: it was told nothing else. Two writers who know nothing of each other
// lose a value.
__global__ void mailbox(V* box, int* out, int n, bool right) {
    if (threadIdx.x) return;
    if (blockIdx.x < (right ? 1 : 2)) {
        for (int i = 1; i <= n; ++i) {
            if (right)
                while (*box) {}
            *box = i + int(blockIdx.x) * n;
        }
    } else if (right) {
        for (int i = 0; i < n; ++i) {
            int seen;
            while ((seen = *box) == 0) {}
            *box = 0;
            out[i] = seen;
        }
    }
}
__global__ void mailbox_by_exchange(int* box, int* out, int n, bool right) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        for (int i = 1; i <= n; ++i) {
            while (*static_cast<V*>(box)) {}
            *static_cast<V*>(box) = i;
        }
    } else {
        for (int i = 0; i < n; ++i) {
            int seen;
            while ((seen = atomicExch(box, 0)) == 0) {}
            out[right ? i : 0] = seen;
        }
    }
    if (!right && blockIdx.x == 0) out[0] = -1;
}
// Between the flag and its reader lie more words than are remembered.
__global__ void forgotten_flag(int* data, int* flag, unsigned* counts, int n, int* out, bool right) {
    if (blockIdx.x == 0) {
        data[0] = 7;
        fence_if(right);
        atomicExch(flag, 1);
        for (int i = 0; i < n; ++i) atomicAdd(&counts[i], 1u);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        out[0] = data[0];
    }
}
__global__ void ping_pong(int* data, V* turn, int n, bool right) {
    if (threadIdx.x) return;
    int me = int(blockIdx.x);
    for (int i = 0; i < n; ++i) {
        while (*turn != 2 * i + me) {}
        __threadfence();
        data[0] += 1;
        fence_if(right);
        *turn = 2 * i + me + 1;
    }
}
// A word for every item, from which its reader tells whether it is there: each word is flag and datum.
__global__ void self_contained_words(V* words, int* out, int n, bool right) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < n; ++i) words[i] = i + 1;
        if (!right) out[0] = -1;
    } else {
        for (int i = 0; i < n; ++i) {
            int seen;
            while ((seen = words[i]) == 0) {}
            out[i] = seen;
        }
    }
}
// More slots, and so more flags, than a small table holds.
__global__ void ring(int* slots, V* full, int* out, int size, int n, bool right) {
    if (threadIdx.x) return;
    for (int i = 0; i < n; ++i) {
        int slot = i % size;
        if (blockIdx.x == 0) {
            while (full[slot]) {}
            __threadfence();
            slots[slot] = i;
            fence_if(right);
            full[slot] = 1;
        } else {
            while (!full[slot]) {}
            __threadfence();
            out[i] = slots[slot];
            __threadfence();
            full[slot] = 0;
        }
    }
}
__global__ void head_and_tail(int* slots, int* head, int* tail, int* out, int size, int n, bool right) {
    if (threadIdx.x) return;
    device_ref<int> written(*head), taken(*tail);
    for (int i = 0; i < n; ++i) {
        if (blockIdx.x == 0) {
            while (i - taken.load(cuda::memory_order_acquire) >= size) {}
            slots[i % size] = i;
            written.store(i + 1, cuda::memory_order_release);
        } else {
            while (written.load(cuda::memory_order_acquire) <= i) {}
            out[i] = slots[i % size];
            taken.store(i + 1, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
        }
    }
}
// Waits in order for the flags of two neighbours.
__global__ void wavefront(int* cells, V* done, int width, bool right) {
    if (threadIdx.x) return;
    int x = int(blockIdx.x) % width, y = int(blockIdx.x) / width, i = y * width + x;
    if (x) while (!done[i - 1]) {}
    if (y) while (!done[i - width]) {}
    __threadfence();
    cells[i] = 1 + (x ? cells[i - 1] : 0) + (y ? cells[i - width] : 0);
    fence_if(right);
    done[i] = 1;
}
// Reads what a writer may be changing, and reads again if it was.
__global__ void sequence_lock(int* plain, V* data, V* sequence, int* out, bool right) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        for (int i = 1; i <= 3; ++i) {
            *sequence = 2 * i - 1;
            __threadfence();
            if (right) data[0] = i, data[1] = i;
            else plain[0] = i, plain[1] = i;
            fence_if(right);
            *sequence = 2 * i;
        }
    } else {
        int before, a, b;
        do {
            before = *sequence;
            __threadfence();
            a = right ? data[0] : plain[0];
            b = right ? data[1] : plain[1];
            __threadfence();
        } while (before % 2 || before != *sequence);
        out[blockIdx.x] = a - b;
    }
}
__global__ void work_queue(int* items, int* ready, int* next, int* out, int n, bool right) {
    if (threadIdx.x) return;
    if (blockIdx.x % 2 == 0) {
        for (;;) {
            int slot = atomicAdd(&next[0], 1);
            if (slot >= n) return;
            items[slot] = slot * slot;
            fence_if(right);
            atomicOr(&ready[slot], 1);
        }
    }
    for (;;) {
        int slot = atomicAdd(&next[1], 1);
        if (slot >= n) return;
        while (atomicOr(&ready[slot], 0) == 0) {}
        __threadfence();
        out[slot] = items[slot];
    }
}
// Nodes are pushed first, and popped by those who find them.
__global__ void stack(int* values, int* next, int* head, int* out, bool right) {
    if (threadIdx.x) return;
    int me = int(blockIdx.x) + 1, top = atomicAdd(head, 0);
    values[me] = me;
    for (;;) {
        next[me] = top;
        fence_if(right);
        int seen = atomicCAS(head, top, me);
        if (seen == top) break;
        top = seen;
    }
    __threadfence();
    int sum = 0;
    for (int i = *static_cast<V*>(head); i; i = next[i]) sum += values[i];
    out[me] = sum;
}
__global__ void semaphore(int* slots, int* free_slots, int* used, bool right) {
    if (threadIdx.x) return;
    int got;
    for (;;) {
        got = atomicSub(free_slots, 1);
        if (got > 0) break;
        atomicAdd(free_slots, 1);
    }
    for (int slot = 0;; slot = (slot + 1) % 2) {
        if (atomicCAS(&used[slot], 0, 1) != 0) continue;
        __threadfence();
        slots[slot] += 1;
        fence_if(right);
        atomicExch(&used[slot], 0);
        break;
    }
    fence_if(right);
    atomicAdd(free_slots, 1);
}
__global__ void fence_of_standard_library(int* data, int* word, int* out, bool right) {
    device_ref<int> flag(*word);
    if (blockIdx.x == 0) {
        data[0] = 7;
        cuda::atomic_thread_fence(cuda::memory_order_release, right ? cuda::thread_scope_device : cuda::thread_scope_block);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        while (flag.load(cuda::memory_order_relaxed) == 0) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        out[0] = data[0];
    }
}

// ---- the last to arrive, and barriers of blocks --------------------------------------------------------------------------

__global__ void last_block_sums(int* parts, unsigned* count, int* out, bool right) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = int(blockIdx.x);
        fence_if(right);
        is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last || threadIdx.x) return;
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += parts[b];
    out[0] = sum;
}
__global__ void last_by_object(int* parts, int* word, int* out, bool right) {
    if (threadIdx.x) return;
    device_ref<int> left(*word);
    parts[blockIdx.x] = 1;
    if (left.fetch_add(1, right ? cuda::memory_order_acq_rel : cuda::memory_order_relaxed) != int(gridDim.x) - 1) return;
    for (unsigned b = 0; b < gridDim.x; ++b) out[0] += parts[b];
}
// The last of two children goes on to the parent.
__global__ void tree(int* sums, int* arrived, int leaves, bool right) {
    if (threadIdx.x) return;
    int node = leaves + int(blockIdx.x);
    sums[node] = 1;
    while (node > 1) {
        node /= 2;
        fence_if(right);
        if (atomicAdd(&arrived[node], 1) == 0) return;
        __threadfence();
        sums[node] = sums[2 * node] + sums[2 * node + 1];
    }
}
__global__ void generations(int* c, int* arrived, V* generation, bool right) {
    for (int r = 0; r < 3; ++r) {
        c[(r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = r;
        __syncthreads();
        if (threadIdx.x == 0) {
            int mine = *generation;
            fence_if(right);
            if (atomicAdd(arrived, 1) == int(gridDim.x) - 1) {
                atomicExch(arrived, 0);
                __threadfence();
                *generation = mine + 1;
            } else {
                while (*generation == mine) {}
            }
            __threadfence();
        }
        __syncthreads();
        int other = int(blockIdx.x + 1) % int(gridDim.x);
        c[(3 * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] += c[(r * gridDim.x + other) * blockDim.x + threadIdx.x];
    }
}
// In round k each block tells the one 2^k behind it (dissemination).
__global__ void dissemination(int* c, V* told, bool right) {
    if (threadIdx.x) return;
    int b = int(blockIdx.x), n = int(gridDim.x), k = 0;
    c[b] = b;
    for (int step = 1; step < n; step *= 2, ++k) {
        fence_if(right);
        told[k * n + (b + step) % n] = 1;
        while (!told[k * n + b]) {}
        __threadfence();
    }
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i];
    c[n + b] = sum;
}
__global__ void grid_rounds(int* c, bool right) {
    cg::grid_group grid = cg::this_grid();
    unsigned i = unsigned(grid.thread_rank()), n = unsigned(grid.size());
    for (int r = 0; r < 3; ++r) {
        c[r * n + i] = r;
        if (right) grid.sync();
        else __syncthreads();
        c[3 * n + i] += c[r * n + (i + blockDim.x) % n];
    }
    grid.sync();
}

// ---- within a block ------------------------------------------------------------------------------------------------------

__global__ void halves_of_a_warp(int* out, bool right) {
    __shared__ int s[32];
    unsigned half = threadIdx.x / 16, mask = 0xffffu << 16 * half;
    s[threadIdx.x] = int(threadIdx.x);
    if (right) __syncwarp(mask);
    out[threadIdx.x] = s[threadIdx.x ^ 15];
}
__global__ void half_at_a_time(int* out, bool right) {
    __shared__ int s[32];
    if (threadIdx.x < 16) {
        s[threadIdx.x] = 1;
        __syncwarp(0xffff);
        out[threadIdx.x] = s[15 - threadIdx.x];
    }
    if (right) __syncwarp();
    if (threadIdx.x >= 16) out[threadIdx.x] = s[threadIdx.x - 16];
}
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void arrive_then_wait(int* out, bool right) {
    __shared__ barrier meeting;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&meeting, blockDim.x);
    __syncthreads();
    for (int r = 0; r < 3; ++r) {
        s[threadIdx.x] = r;
        barrier::arrival_token token = meeting.arrive();
        if (right) meeting.wait(std::move(token));
        out[threadIdx.x] = s[63 - threadIdx.x];
        meeting.arrive_and_wait();
    }
}
// Half of the warps fill one buffer while the others empty the other one.
__global__ void filled_and_emptied(int* out, int n, bool right) {
    __shared__ barrier full[2], empty[2];
    __shared__ int buffer[2][32];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 64);
        init(&empty[threadIdx.x], 64);
    }
    __syncthreads();
    unsigned lane = threadIdx.x % 32;
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x < 32) {
            if (i >= 2) empty[i % 2].arrive_and_wait();
            buffer[i % 2][lane] = i;
            (void)full[i % 2].arrive();
        } else {
            if (right) full[i % 2].arrive_and_wait();
            else (void)full[i % 2].arrive();
            out[i * 32 + lane] = buffer[i % 2][31 - lane];
            if (i + 2 < n) (void)empty[i % 2].arrive();
        }
    }
}
__global__ void scoped_flag(int* data, int* word, int* out, bool right) {
    block_ref<int> flag(*word);
    unsigned me = right ? threadIdx.x / 32 : blockIdx.x;
    if (threadIdx.x % 32 || (!right && threadIdx.x)) return;
    if (me == 0) {
        data[0] = 7;
        flag.store(1, cuda::memory_order_release);
    } else if (me == 1) {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        out[0] = data[0];
    }
}
// Only the flag is shared.
__global__ void scoped_words(int* words, int* out, bool right) {
    if (threadIdx.x) return;
    block_ref<int> near(words[right ? blockIdx.x : 0]);
    near.store(int(blockIdx.x) + 1, cuda::memory_order_relaxed);
    out[blockIdx.x] = near.load(cuda::memory_order_relaxed);
}
__global__ void scoped_count(int* words, bool right) {
    cuda::atomic<int, cuda::thread_scope_block>* near = reinterpret_cast<cuda::atomic<int, cuda::thread_scope_block>*>(words);
    near[right ? blockIdx.x : 0].fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void warps_hand_over(int* data, V* flags, int* out, bool right) {
    unsigned warp = threadIdx.x / 32;
    if (threadIdx.x % 32) return;
    if (warp)
        while (!flags[warp - 1]) {}
    __threadfence_block();
    data[warp] = warp ? data[warp - 1] + 1 : 0;
    if (right) __threadfence_block();
    flags[warp] = 1;
    out[warp] = data[warp];
}
__global__ void tiles_drawn(const int* in, int* out, int* next, int n, bool right) {
    __shared__ int tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(next, 1);
        __syncthreads();
        int mine = tile;
        if (right) __syncthreads();
        if (mine >= n) return;
        out[mine * blockDim.x + threadIdx.x] = in[mine * blockDim.x + threadIdx.x];
    }
}
__global__ void one_for_the_warp(const int* in, int* out, int* count, bool right) {
    bool keeps = in[threadIdx.x] % 2 == 0;
    unsigned votes = __ballot_sync(~0u, keeps), lane = threadIdx.x % 32;
    int begin = 0;
    if (lane == 0) begin = right ? atomicAdd(count, __popc(votes)) : (count[0] += __popc(votes)) - __popc(votes);
    begin = __shfl_sync(~0u, begin, 0);
    if (keeps) out[begin + __popc(votes & ((1u << lane) - 1))] = in[threadIdx.x];
}

// --------------------------------------------------------------------------------------------------------------------------

std::vector<void*> made;
template <typename T = int>
T* zeros(int n = 1) {
    T* p = nullptr;
    cudaMalloc(&p, n * sizeof *p);
    cudaMemset(p, 0, n * sizeof *p);
    made.push_back(p);
    return p;
}
int* full_of(int value) {
    int* p = zeros();
    cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice);
    return p;
}
template <class... T>
void launch_together(void (*kernel)(T...), int blocks, int threads, T... values) {
    void* arguments[] = {&values...};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), dim3(blocks), dim3(threads), arguments);
}

struct Case {
    const char* name;
    void (*run)(bool right);
};
const Case kCases[] = {
    {"lock_with_own_data_first", [](bool r) { lock_with_own_data_first<<<4, 32>>>(zeros(2), zeros(), zeros(4), zeros(4), r); }},
    {"many_locks_at_once", [](bool r) { many_locks_at_once<<<3, 32>>>(zeros(40), zeros(40), 40, r); }},
    {"lock_around_counters", [](bool r) { lock_around_counters<<<3, 32>>>(zeros(2), zeros(), zeros<unsigned>(60), 20, r); }},
    {"hand_over_hand", [](bool r) { hand_over_hand<<<3, 32>>>(zeros(64), zeros(64), 64, r); }},
    {"locked_buckets", [](bool r) { locked_buckets<<<4, 64>>>(zeros(4096), zeros(4096), 4096, 40, r); }},
    {"two_locks_in_order", [](bool r) { two_locks_in_order<<<8, 32>>>(zeros(4), zeros(4), r); }},
    {"test_and_test_and_set", [](bool r) { test_and_test_and_set<<<3, 64>>>(zeros(), zeros(), r); }},
    {"exchanged_lock", [](bool r) { exchanged_lock<<<4, 32>>>(zeros(), zeros(), r); }},
    {"ticket_lock", [](bool r) { ticket_lock<<<3, 64>>>(zeros(), zeros<unsigned>(), zeros<unsigned>(), r); }},
    {"queue_lock", [](bool r) { queue_lock<<<6, 1>>>(zeros(), zeros(), zeros(8), zeros(8), r); }},
    {"readers_and_writers", [](bool r) { readers_and_writers<<<7, 1>>>(zeros(2), zeros(), zeros(7), r); }},
    {"lock_of_the_block", [](bool r) { lock_of_the_block<<<2, 64>>>(zeros(2), zeros(2), r); }},
    {"lock_object", [](bool r) { lock_object<<<3, 64>>>(zeros(), zeros(), r); }},
    {"double_checked", [](bool r) { double_checked<<<4, 1>>>(zeros(), zeros(), zeros(), zeros(4), r); }},
    {"once", [](bool r) { once<<<4, 1>>>(zeros(), zeros(), zeros(4), r); }},

    {"flag_per_block", [](bool r) { flag_per_block<<<40, 32>>>(zeros(1280), zeros(1280), zeros(40), zeros(40), r); }},
    {"look_back", [](bool r) { look_back<<<20, 32>>>(zeros(20), zeros(20), zeros(20), zeros(20), r); }},
    {"hand_over", [](bool r) { hand_over<<<2, 1>>>(zeros(), zeros(), zeros(), r); }},
    {"mailbox", [](bool r) { mailbox<<<2, 1>>>(zeros(), zeros(5), 5, r); }},
    {"mailbox_by_exchange", [](bool r) { mailbox_by_exchange<<<2, 1>>>(zeros(), zeros(5), 5, r); }},
    {"mailbox_used_once", [](bool r) { mailbox<<<2, 1>>>(zeros(), zeros(), 1, r); }},
    {"forgotten_flag",
     [](bool r) { forgotten_flag<<<2, 1>>>(zeros(), zeros(), zeros<unsigned>(70000), 70000, zeros(), r); }},
    {"ping_pong", [](bool r) { ping_pong<<<2, 1>>>(zeros(), zeros(), 5, r); }},
    {"self_contained_words", [](bool r) { self_contained_words<<<2, 1>>>(zeros(40), zeros(40), 40, r); }},
    {"ring", [](bool r) { ring<<<2, 1>>>(zeros(40), zeros(40), zeros(100), 40, 100, r); }},
    {"head_and_tail", [](bool r) { head_and_tail<<<2, 1>>>(zeros(4), zeros(), zeros(), zeros(20), 4, 20, r); }},
    {"wavefront", [](bool r) { wavefront<<<36, 1>>>(zeros(36), zeros(36), 6, r); }},
    {"sequence_lock", [](bool r) { sequence_lock<<<4, 1>>>(zeros(2), zeros(2), zeros(), zeros(4), r); }},
    {"work_queue", [](bool r) { work_queue<<<4, 1>>>(zeros(20), zeros(20), zeros(2), zeros(20), 20, r); }},
    {"stack", [](bool r) { stack<<<6, 1>>>(zeros(7), zeros(7), zeros(), zeros(7), r); }},
    {"semaphore", [](bool r) { semaphore<<<6, 1>>>(zeros(2), full_of(2), zeros(2), r); }},
    {"fence_of_standard_library", [](bool r) { fence_of_standard_library<<<2, 1>>>(zeros(), zeros(), zeros(), r); }},

    {"last_block_sums", [](bool r) { last_block_sums<<<8, 32>>>(zeros(8), zeros<unsigned>(), zeros(), r); }},
    {"last_by_object", [](bool r) { last_by_object<<<8, 32>>>(zeros(8), zeros(), zeros(), r); }},
    {"tree", [](bool r) { tree<<<8, 1>>>(zeros(16), zeros(8), 8, r); }},
    {"generations", [](bool r) { generations<<<4, 32>>>(zeros(4 * 4 * 32), zeros(), zeros(), r); }},
    {"dissemination", [](bool r) { dissemination<<<8, 1>>>(zeros(16), zeros(24), r); }},
    {"grid_rounds", [](bool r) { launch_together(grid_rounds, 4, 32, zeros(4 * 4 * 32), r); }},

    {"halves_of_a_warp", [](bool r) { halves_of_a_warp<<<1, 32>>>(zeros(32), r); }},
    {"half_at_a_time", [](bool r) { half_at_a_time<<<1, 32>>>(zeros(32), r); }},
    {"arrive_then_wait", [](bool r) { arrive_then_wait<<<1, 64>>>(zeros(64), r); }},
    {"filled_and_emptied", [](bool r) { filled_and_emptied<<<1, 64>>>(zeros(6 * 32), 6, r); }},
    {"scoped_flag", [](bool r) { scoped_flag<<<r ? 1 : 2, 64>>>(zeros(), zeros(), zeros(), r); }},
    {"scoped_words", [](bool r) { scoped_words<<<3, 32>>>(zeros(3), zeros(3), r); }},
    {"scoped_count", [](bool r) { scoped_count<<<3, 1>>>(zeros(3), r); }},
    {"warps_hand_over", [](bool r) { warps_hand_over<<<1, 256>>>(zeros(8), zeros(8), zeros(8), r); }},
    {"tiles_drawn", [](bool r) { tiles_drawn<<<2, 64>>>(zeros(64 * 6), zeros(64 * 6), zeros(), 6, r); }},
    {"one_for_the_warp", [](bool r) { one_for_the_warp<<<1, 128>>>(zeros(128), zeros(128), zeros(), r); }},
};

int main(int count, char** arguments) {
    std::set<std::string> wanted(arguments + 2, arguments + count);
    for (const Case& each : kCases) {
        if (!wanted.empty() && !wanted.count(each.name)) continue;
        for (bool right : {true, false}) {
            simt_set_schedule(atoi(arguments[1]), 7);
            each.run(right);
            printf("# %s %s %s\n", each.name, right ? "right" : "wrong", cudaGetErrorName(cudaGetLastError()));
            fputs(simt_take_findings(), stdout);
            simt_reset();
            for (void* p : made) cudaFree(p);
            made.clear();
        }
    }
}
