// cub::BlockRakingLayout: one item of every thread in shared memory, of which up to 32 threads each go through a segment.
#pragma once
#include "cub/util_type.cuh"

CUB_NAMESPACE_BEGIN

template <class T, int Threads, int Unused = 0>
struct BlockRakingLayout {
    enum {
        SHARED_ELEMENTS = Threads,
        MAX_RAKING_THREADS = Threads < 32 ? Threads : 32,
        SEGMENT_LENGTH = (Threads + MAX_RAKING_THREADS - 1) / MAX_RAKING_THREADS,
        RAKING_THREADS = (Threads + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH,
        // An unused item behind each segment of even length spreads the segments over the banks.
        USE_SEGMENT_PADDING = SEGMENT_LENGTH % 2 == 0 && SEGMENT_LENGTH > 2,
        GRID_ELEMENTS = RAKING_THREADS * (SEGMENT_LENGTH + USE_SEGMENT_PADDING),
        UNGUARDED = Threads % RAKING_THREADS == 0  // every segment is full
    };
    struct alignas(16) _TempStorage {
        T buff[GRID_ELEMENTS];
    };
    struct TempStorage : Uninitialized<_TempStorage> {};

    // Where thread `thread` puts its item, and where raking thread `thread` finds its segment.
    SIMT_INLINE static T* PlacementPtr(TempStorage& storage, unsigned int thread) {
        unsigned int padding = USE_SEGMENT_PADDING ? thread / SEGMENT_LENGTH : 0;
        return storage.Alias().buff + thread + padding;
    }
    SIMT_INLINE static T* RakingPtr(TempStorage& storage, unsigned int thread) {
        return storage.Alias().buff + thread * (SEGMENT_LENGTH + USE_SEGMENT_PADDING);
    }
};

CUB_NAMESPACE_END
