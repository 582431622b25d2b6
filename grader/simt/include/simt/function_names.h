// Which function a launch runs, for what cudaFuncSetAttribute said of it.
//
// A launch such as `tiled<<<...>>>(a, b)` deduces template arguments from its arguments, so the address of what it runs
// cannot be written down. The text of the kernel can: cudaFuncSetAttribute, a macro here, notes text and address, and a
// launch looks its own text up; the same text first, then the same name (`tiled` finds `tiled<float>`).
#pragma once
#include <string.h>

#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

struct function_note {
    const void* address;
    char text[240];
};

struct function_notes {
    function_note notes[64];
    int count;
};

inline function_notes& noted_functions() {
    static function_notes notes;
    return notes;
}

// `(const void*)&ns::tiled<T, 16>` -> `ns::tiled<T,16>`, up to the comma that ends the first argument.
inline void normalise_function_text(const char* text, char* result, size_t capacity) {
    size_t used = 0;
    int angles = 0;
    while (*text == '(' || *text == '&' || *text == ' ') {
        const char* cast_end = *text == '(' ? strstr(text, "*)") : nullptr;
        text = cast_end ? cast_end + 2 : text + 1;
    }
    for (; *text && used + 1 < capacity && !(*text == ',' && angles == 0); ++text) {
        angles += (*text == '<') - (*text == '>');
        if (*text != ' ' && *text != ')') result[used++] = *text;
    }
    result[used] = 0;
}

inline size_t name_length(const char* text) { return strcspn(text, "<"); }

inline void note_function(const char* text, const void* address) {
    function_notes& all = noted_functions();
    function_note note;
    normalise_function_text(text, note.text, sizeof note.text);
    note.address = address;
    for (int i = 0; i < all.count; ++i)
        if (strcmp(all.notes[i].text, note.text) == 0) {
            all.notes[i] = note;
            return;
        }
    if (all.count < 64) all.notes[all.count++] = note;
}

// The address noted for a kernel's text; null if there is none.
inline const void* function_named(const char* text) {
    const function_notes& all = noted_functions();
    if (all.count == 0) return nullptr;
    char wanted[240];
    normalise_function_text(text, wanted, sizeof wanted);
    const void* same_name = nullptr;
    for (int i = 0; i < all.count; ++i) {
        const char* noted = all.notes[i].text;
        if (strcmp(noted, wanted) == 0) return all.notes[i].address;
        size_t length = name_length(noted);
        if (length == name_length(wanted) && strncmp(noted, wanted, length) == 0) same_name = all.notes[i].address;
    }
    return same_name;
}

}  // namespace simt
#pragma GCC visibility pop
