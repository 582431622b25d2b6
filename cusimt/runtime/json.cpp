// Writes values as JSON.
#include <inttypes.h>
#include <stdio.h>

#include "findings.h"

namespace simt {

void JsonLine::name(const char* key) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += key;
    out_ += "\":";
}

JsonLine& JsonLine::text(const char* key, const char* value) {
    name(key);
    if (!value) {
        out_ += "null";
        return *this;
    }
    out_ += '"';
    for (const char* c = value; *c; ++c) {
        auto byte = static_cast<unsigned char>(*c);
        if (byte == '"' || byte == '\\') (out_ += '\\') += *c;
        else if (byte >= 0x20) out_ += *c;
        else {
            char escaped[8];
            snprintf(escaped, sizeof escaped, "\\u%04x", byte);
            out_ += escaped;
        }
    }
    out_ += '"';
    return *this;
}

JsonLine& JsonLine::number(const char* key, double value) {
    char digits[40];
    snprintf(digits, sizeof digits, "%.6g", value);
    return raw(key, digits);
}

JsonLine& JsonLine::integer(const char* key, uint64_t value) { return raw(key, std::to_string(value)); }

JsonLine& JsonLine::triple(const char* key, uint3 value) {
    char digits[64];
    snprintf(digits, sizeof digits, "[%u,%u,%u]", value.x, value.y, value.z);
    return raw(key, digits);
}

JsonLine& JsonLine::raw(const char* key, const std::string& json) {
    name(key);
    out_ += json;
    return *this;
}

}  // namespace simt
