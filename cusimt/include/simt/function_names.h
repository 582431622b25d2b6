// Which function a launch runs, for what cudaFuncSetAttribute said of it.
//
// A launch such as `tiled<<<...>>>(a, b)` deduces template arguments from its arguments, so the address of what it runs
// cannot be written down. The text of the kernel can: cudaFuncSetAttribute, a macro here, notes text and address, and a
// launch looks its own text up; the same text first, then the same name (`tiled` finds `tiled<float>`). In a template one
// text, `tiled<N>`, names several functions: the launch takes the one with the largest limit of shared memory.
#pragma once
#include <string.h>

#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

struct function_note {
    char text[240];
    const void* address;
    int shared_bytes;     // what it may have
    function_note* next;  // the one before it
};

inline function_note*& latest_note() {
    static function_note* latest = nullptr;
    return latest;
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

inline void note_function(const char* text, const void* address, int shared_bytes) {
    char noted[sizeof function_note::text];
    normalise_function_text(text, noted, sizeof noted);
    function_note* note = latest_note();
    while (note && (note->address != address || strcmp(note->text, noted) != 0)) note = note->next;
    if (!note) {
        note = latest_note() = new function_note{{}, address, 0, latest_note()};
        strcpy(note->text, noted);
    }
    note->shared_bytes = shared_bytes;
}

// The address noted for a kernel's text; null if there is none.
inline const void* function_named(const char* text) {
    if (!latest_note()) return nullptr;
    char wanted[sizeof function_note::text];
    normalise_function_text(text, wanted, sizeof wanted);
    const function_note *same_text = nullptr, *same_name = nullptr;
    for (const function_note* note = latest_note(); note; note = note->next) {
        size_t length = name_length(note->text);
        if (length != name_length(wanted) || strncmp(note->text, wanted, length) != 0) continue;
        if (!same_name || note->shared_bytes > same_name->shared_bytes) same_name = note;
        if (strcmp(note->text, wanted) != 0) continue;
        if (!same_text || note->shared_bytes > same_text->shared_bytes) same_text = note;
    }
    if (same_text) return same_text->address;
    return same_name ? same_name->address : nullptr;
}

}  // namespace simt
#pragma GCC visibility pop
