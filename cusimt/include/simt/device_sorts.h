// Stable sorts of device memory by one thread: by digits of the key's bits, and by comparison. `spare` memory is the caller's.
#pragma once
#include <stdint.h>

#include "simt/qualifiers.h"

namespace simt {

struct no_values {};  // instead of a pointer: keys only

template <class Value>
SIMT_INLINE void move_value(Value* to, int64_t i, const Value* from, int64_t j) {
    to[i] = from[j];
}
SIMT_INLINE void move_value(no_values, int64_t, no_values, int64_t) {}

template <class Key, class Values>
SIMT_INLINE void copy_items(Key* keys, Values values, const Key* from_keys, Values from_values, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        keys[i] = from_keys[i];
        move_value(values, i, from_values, i);
    }
}

// By bits [first_bit, last_bit) of code(key), 8 at a time.
template <class Key, class Values, class Code>
SIMT_INLINE void radix_sort(Key* keys, Values values, Key* spare_keys, Values spare_values, int64_t n, int first_bit,
                            int last_bit, Code code) {
    for (; first_bit < last_bit; first_bit += 8) {
        unsigned mask = last_bit - first_bit < 8 ? (1u << (last_bit - first_bit)) - 1 : 255;
        auto digit = [=](const Key& key) { return static_cast<unsigned>(code(key) >> first_bit) & mask; };
        int64_t places[257] = {};
        for (int64_t i = 0; i < n; ++i) ++places[digit(keys[i]) + 1];
        for (int d = 0; d < 256; ++d) places[d + 1] += places[d];
        for (int64_t i = 0; i < n; ++i) {
            int64_t place = places[digit(keys[i])]++;
            spare_keys[place] = keys[i];
            move_value(spare_values, place, values, i);
        }
        copy_items(keys, values, spare_keys, spare_values, n);
    }
}

// By comparison, in runs of 1, 2, 4, ... items.
template <class Key, class Values, class Compare>
SIMT_INLINE void merge_sort(Key* keys, Values values, Key* spare_keys, Values spare_values, int64_t n, Compare& compare) {
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t first = 0; first < n; first += 2 * run) {
            int64_t middle = first + run < n ? first + run : n, last = middle + run < n ? middle + run : n;
            for (int64_t i = first, left = first, right = middle; i < last; ++i) {
                bool from_right = left == middle || (right < last && compare(keys[right], keys[left]));
                int64_t source = from_right ? right++ : left++;
                spare_keys[i] = keys[source];
                move_value(spare_values, i, values, source);
            }
        }
        copy_items(keys, values, spare_keys, spare_values, n);
    }
}

}  // namespace simt
