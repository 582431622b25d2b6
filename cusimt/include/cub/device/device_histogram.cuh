// cub::DeviceHistogram of one channel: counts of samples between levels.
#pragma once
#include "cub/device/device_reduce.cuh"

CUB_NAMESPACE_BEGIN

struct DeviceHistogram {
    // levels - 1 bins of equal width from `lower` to `upper`; samples outside of all bins are left out.
    template <class Samples, class Counter, class Level, std::integral N>
    static cudaError_t HistogramEven(void* temporary, size_t& bytes, Samples samples, Counter* histogram, int levels,
                                     Level lower, Level upper, N n, SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceHistogram::HistogramEven", temporary, bytes, 0, stream, where, [=]() mutable {
            int bins = levels - 1;
            for (int bin = 0; bin < bins; ++bin) histogram[bin] = 0;
            for (N i = 0; i < n; ++i) {
                Level sample = static_cast<Level>(samples[i]);
                if (sample >= lower && sample < upper) ++histogram[even_bin(sample, lower, upper, bins)];
            }
        });
    }
    // Bin b holds samples from levels[b] up to levels[b + 1], which are in ascending order.
    template <class Samples, class Counter, class Level, std::integral N>
    static cudaError_t HistogramRange(void* temporary, size_t& bytes, Samples samples, Counter* histogram, int levels,
                                      const Level* bounds, N n, SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceHistogram::HistogramRange", temporary, bytes, 0, stream, where, [=]() mutable {
            for (int bin = 0; bin < levels - 1; ++bin) histogram[bin] = 0;
            for (N i = 0; i < n; ++i) {
                int low = 0, high = levels;  // levels up to `low` are at most the sample
                while (low < high) {
                    int middle = (low + high) / 2;
                    if (bounds[middle] <= samples[i]) low = middle + 1;
                    else high = middle;
                }
                if (low > 0 && low < levels) ++histogram[low - 1];
            }
        });
    }

  private:
    template <class Level>
    static int even_bin(Level sample, Level lower, Level upper, int bins) {
        if constexpr (std::is_integral_v<Level>)
            return static_cast<int>((static_cast<unsigned __int128>(sample - lower) * static_cast<unsigned>(bins)) /
                                    static_cast<unsigned __int128>(upper - lower));
        else return static_cast<int>((sample - lower) * (static_cast<Level>(bins) / (upper - lower)));
    }
};

CUB_NAMESPACE_END
