// How threads of different blocks and warps tell one another something, right and wrong: `signals ORDER [NAME...]` runs cases
// under a schedule (0 forward, 1 reversed, 2 random) and prints, for each, "# NAME ERROR" and what was found, as JSON lines.
// Line marks: "// <- NAME".
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <set>
#include <string>
#include <vector>

extern "C" const char* simt_take_findings();
extern "C" void simt_reset();
extern "C" void simt_set_schedule(int, unsigned long);

// ---- fences --------------------------------------------------------------------------------------------------------------

enum Fence { none, before_data, after_data, of_block };

// Block 0 hands a value over to block 1.
__global__ void hand_over(int* data, int* flag, int* out, Fence fence) {
    if (blockIdx.x == 0) {
        if (fence == before_data) __threadfence();
        data[0] = 7;  // <- hand_over
        if (fence == after_data) __threadfence();
        if (fence == of_block) __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        out[0] = data[0];  // <- taken_over
    }
}
// The same between two warps, and a flag and data of their own for each.
__global__ void hand_over_in_block(int* data, int* flag, int* out, Fence fence) {
    if (threadIdx.x == 0) {
        if (fence == before_data) __threadfence();
        data[0] = 7;
        if (fence == of_block) __threadfence_block();
        atomicExch(flag, 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd(flag, 0) == 0) {}
        out[0] = data[0];  // <- taken_over_in_block
    }
}
// What thread 0 read of block 0, it passes on.
__global__ void pass_on(volatile int* data, int* flag, bool fence) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 1;
        __threadfence_block();
        atomicExch(flag, 1);
    } else if (blockIdx.x == 0 && threadIdx.x == 32) {
        while (atomicAdd(flag, 0) != 1) {}
        if (fence) __threadfence();
        atomicExch(flag, 2);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (atomicAdd(flag, 0) != 2) {}
        data[1] = data[0];  // <- passed_on
    }
}
__global__ void ordered_objects(int* data, int* flag, int* out, bool release) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        data[0] = 7;
        ready.store(1, release ? cuda::memory_order_release : cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        out[0] = data[0];  // <- ordered_objects
    }
}

// ---- locks ---------------------------------------------------------------------------------------------------------------

__global__ void locked_sum(int* c, int* lock, bool begins, bool ends) {
    if (threadIdx.x % 32) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    if (begins) __threadfence();
    c[0] += 1;  // <- locked_sum
    if (ends) __threadfence();
    atomicExch(lock, 0);
}
__global__ void locked_by_all(int* c, int* lock) {   // the lock is the block's
    if (threadIdx.x == 0)
        while (atomicCAS(lock, 0, 1) != 0) {}
    __syncthreads();
    c[threadIdx.x] += 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(lock, 0);
}
__global__ void ticket_lock(int* c, volatile int* serving, unsigned* tickets) {
    if (threadIdx.x % 32) return;
    int mine = int(atomicAdd(tickets, 1u));
    while (*serving != mine) {}
    __threadfence();
    c[0] += 1;
    __threadfence();
    *serving = mine + 1;
}
__global__ void released_by_store(int* c, int* lock) {
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    c[0] += 1;
    __threadfence();
    *static_cast<volatile int*>(lock) = 0;
}
__global__ void beside_the_lock(volatile int* data, int* lock, int* out, bool both) {
    if (blockIdx.x == 0) {
        if (both) {
            while (atomicCAS(lock, 0, 1) != 0) {}
            __threadfence();
        }
        data[0] = 1;  // <- beside_the_lock
        if (both) {
            __threadfence();
            atomicExch(lock, 0);
        }
    } else {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        data[0] = 2;
        __threadfence();
        atomicExch(lock, 0);
    }
}
// A CAS that is no lock, and plain accesses behind it.
__global__ void sums_by_swaps(unsigned* sum, float* c) {
    unsigned seen = *static_cast<volatile unsigned*>(sum), expected;
    do expected = seen;
    while ((seen = atomicCAS(sum, expected, expected + 1)) != expected);
    c[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// ---- scopes --------------------------------------------------------------------------------------------------------------

__global__ void count_in_block(int* c, bool of_block) {
    if (of_block) atomicAdd_block(&c[blockIdx.x], 1);
    else atomicAdd_block(&c[0], 1);  // <- count_in_block
}

// ---- volatile data and volatile flags ------------------------------------------------------------------------------------

__global__ void volatile_sum(volatile int* c, bool own) {
    c[own ? blockIdx.x : 0] += 1 + blockIdx.x;  // <- volatile_sum
}
__global__ void volatile_data(volatile int* data, int* flag, int* out, bool fence) {
    if (blockIdx.x == 0) {
        data[0] = 7;
        if (fence) __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicExch(flag, 0) == 0) {}
        out[0] = data[0];  // <- volatile_data
    }
}
// Value and state in one word: no fence is needed.
__global__ void packed_look_back(volatile unsigned long long* words, int* out) {
    if (threadIdx.x) return;
    unsigned long long sum = 0;
    if (blockIdx.x > 0) {
        unsigned long long seen;
        do seen = words[blockIdx.x - 1];
        while (seen == 0);
        sum = seen >> 1;
    }
    words[blockIdx.x] = (sum + 1) << 1 | 1;
    out[blockIdx.x] = int(sum);
}
__global__ void found_by_one(volatile int* found, const int* a, int wanted) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (*found) return;
    if (a[i] == wanted) *found = 1;
}
// Blocks meet, round by round.
__global__ void own_grid_barrier(int* c, int* arrived, volatile int* round) {
    for (int r = 1; r <= 3; ++r) {
        c[(r - 1) * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x] = r;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            if (atomicAdd(arrived, 1) == int(gridDim.x) - 1) {
                *arrived = 0;
                __threadfence();
                *round = r;
            } else {
                while (*round != r) {}
            }
            __threadfence();
        }
        __syncthreads();
        int other = (blockIdx.x + 1) % gridDim.x;
        c[3 * gridDim.x * blockDim.x] = c[(r - 1) * gridDim.x * blockDim.x + other * blockDim.x + threadIdx.x];
    }
}
// One block fills a slot, the other empties it.
__global__ void ring(int* slots, volatile int* full, int* out) {
    if (threadIdx.x) return;
    for (int i = 0; i < 8; ++i) {
        int slot = i % 2;
        if (blockIdx.x == 0) {
            while (full[slot]) {}
            __threadfence();
            slots[slot] = i;
            __threadfence();
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
// The result of the last one to arrive, which resets the count.
__global__ void last_one_resets(int* parts, unsigned* count, int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = 1;
        __threadfence();
        is_last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last || threadIdx.x >= gridDim.x) return;
    out[threadIdx.x] = static_cast<volatile int*>(parts)[threadIdx.x];
    if (threadIdx.x == 0) *count = 0;
}

// ---- waits ---------------------------------------------------------------------------------------------------------------

// Block 0 waits for all others, whose flags it asks in turn.
__global__ void waits_for_all(int* flags, int n) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        for (int ready = 0; ready < n;) {
            ready = 0;
            for (int i = 1; i <= n; ++i) ready += atomicAdd(&flags[i], 0) != 0;
        }
    } else {
        __threadfence();
        atomicExch(&flags[blockIdx.x], 1);
    }
}
// And counts how often it asked.
__global__ void counts_its_looks(int* flag, unsigned* looks) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0)
        while (atomicAdd(flag, 0) == 0) atomicAdd(looks, 1u);
    else atomicExch(flag, 1);
}
__global__ void waits_in_vain(int* flag, bool is_set) {
    if (blockIdx.x == 1 && is_set) atomicExch(flag, 1);
    if (blockIdx.x == 0)
        while (atomicAdd(flag, 0) == 0) {}  // <- waits_in_vain
}

// The last block sets what the first one waits for.
__global__ void waits_for_the_last(volatile int* flag) {
    if (blockIdx.x == 0) {
        while (*flag == 0) {}
    } else if (blockIdx.x == gridDim.x - 1) {
        *flag = 1;
    }
}
// Work that changes nothing is no wait.
__global__ void adds_nothing(float* sum) {
    for (int i = 0; i < 2000; ++i) atomicAdd(sum, 0.0f);
}
// What follows a CAS that took no lock is an access like any other, in this launch and to the next one.
__global__ void first_of_all(int* flag, int* data) {
    if (atomicCAS(flag, 0, 1) == 0) data[0] += 1;
}

// ---- guesses -------------------------------------------------------------------------------------------------------------

__global__ void guessed_maximum(int* most, bool atomic_guess) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int guess = atomic_guess ? atomicAdd(most, 0) : *most;  // <- guessed_maximum
    if (guess < i) atomicMax(most, i);
}

// --------------------------------------------------------------------------------------------------------------------------

std::vector<void*> made;
template <typename V>
V* zeros(int n) {
    V* p = nullptr;
    cudaMalloc(&p, n * sizeof *p);
    cudaMemset(p, 0, n * sizeof *p);
    made.push_back(p);
    return p;
}
int* ints(int n = 1) { return zeros<int>(n); }

struct Case {
    const char* name;
    void (*run)();
};
const Case kCases[] = {
    {"unfenced", [] { hand_over<<<2, 1>>>(ints(), ints(), ints(), none); }},
    {"fenced_too_early", [] { hand_over<<<2, 1>>>(ints(), ints(), ints(), before_data); }},
    {"fenced_for_the_block", [] { hand_over<<<2, 1>>>(ints(), ints(), ints(), of_block); }},
    {"fenced", [] { hand_over<<<2, 1>>>(ints(), ints(), ints(), after_data); }},
    {"warps_fenced_too_early", [] { hand_over_in_block<<<1, 64>>>(ints(), ints(), ints(), before_data); }},
    {"warps_fenced", [] { hand_over_in_block<<<1, 64>>>(ints(), ints(), ints(), of_block); }},
    {"passed_on_unfenced", [] { pass_on<<<2, 64>>>(ints(2), ints(), false); }},
    {"passed_on", [] { pass_on<<<2, 64>>>(ints(2), ints(), true); }},
    {"relaxed", [] { ordered_objects<<<2, 1>>>(ints(), ints(), ints(), false); }},
    {"released", [] { ordered_objects<<<2, 1>>>(ints(), ints(), ints(), true); }},

    {"lock_without_first_fence", [] { locked_sum<<<3, 64>>>(ints(), ints(), false, true); }},
    {"lock_without_last_fence", [] { locked_sum<<<3, 64>>>(ints(), ints(), true, false); }},
    {"lock", [] { locked_sum<<<3, 64>>>(ints(), ints(), true, true); }},
    {"lock_of_the_block", [] { locked_by_all<<<3, 64>>>(ints(64), ints()); }},
    {"tickets", [] { ticket_lock<<<3, 64>>>(ints(), ints(), zeros<unsigned>(1)); }},
    {"lock_released_by_store", [] { released_by_store<<<3, 64>>>(ints(), ints()); }},
    {"one_without_the_lock", [] { beside_the_lock<<<2, 1>>>(ints(), ints(), ints(), false); }},
    {"both_with_the_lock", [] { beside_the_lock<<<2, 1>>>(ints(), ints(), ints(), true); }},
    {"swaps", [] { sums_by_swaps<<<3, 64>>>(zeros<unsigned>(1), zeros<float>(3 * 64)); }},

    {"block_scope_between_blocks", [] { count_in_block<<<3, 64>>>(ints(3), false); }},
    {"block_scope_in_blocks", [] { count_in_block<<<3, 64>>>(ints(3), true); }},

    {"volatile_of_all", [] { volatile_sum<<<3, 1>>>(ints(3), false); }},
    {"volatile_of_each", [] { volatile_sum<<<3, 1>>>(ints(3), true); }},
    {"volatile_unfenced", [] { volatile_data<<<2, 1>>>(ints(), ints(), ints(), false); }},
    {"volatile_fenced", [] { volatile_data<<<2, 1>>>(ints(), ints(), ints(), true); }},
    {"packed", [] { packed_look_back<<<20, 32>>>(zeros<unsigned long long>(20), ints(20)); }},
    {"found", [] { found_by_one<<<4, 64>>>(ints(), ints(256), 0); }},
    {"grid_barrier", [] { own_grid_barrier<<<4, 32>>>(ints(4 * 32 * 4), ints(), ints()); }},
    {"ring", [] { ring<<<2, 32>>>(ints(2), ints(2), ints(8)); }},
    {"reset", [] { last_one_resets<<<8, 32>>>(ints(8), zeros<unsigned>(1), ints(8)); }},

    {"waits_for_three", [] { waits_for_all<<<4, 32>>>(ints(4), 3); }},
    {"waits_for_many", [] { waits_for_all<<<41, 32>>>(ints(41), 40); }},
    {"looks_counted", [] { counts_its_looks<<<2, 32>>>(ints(), zeros<unsigned>(1)); }},
    {"never_set", [] { waits_in_vain<<<3, 1>>>(ints(), false); }},
    {"set", [] { waits_in_vain<<<3, 1>>>(ints(), true); }},
    {"set_by_the_last", [] { waits_for_the_last<<<64, 1>>>(ints()); }},
    {"adds_nothing", [] { adds_nothing<<<1, 64>>>(zeros<float>(1)); }},
    {"first_of_all",
     [] {
         int *flags = ints(2), *data = ints();
         first_of_all<<<1, 1>>>(flags, data);
         first_of_all<<<1, 1>>>(flags + 1, data);
     }},

    {"guessed_plainly", [] { guessed_maximum<<<3, 64>>>(ints(), false); }},
    {"guessed_atomically", [] { guessed_maximum<<<3, 64>>>(ints(), true); }},
};

int main(int count, char** arguments) {
    std::set<std::string> wanted(arguments + 2, arguments + count);
    for (const Case& each : kCases) {
        if (!wanted.empty() && !wanted.count(each.name)) continue;
        simt_set_schedule(atoi(arguments[1]), 7);
        each.run();
        printf("# %s %s\n", each.name, cudaGetErrorName(cudaGetLastError()));
        fputs(simt_take_findings(), stdout);
        simt_reset();
        for (void* p : made) cudaFree(p);
        made.clear();
    }
}
