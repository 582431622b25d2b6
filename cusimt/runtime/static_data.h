// The host variables of a library with kernels, on which a GPU would fault.
//
// Kernels may read constants: `const` tables, vtables, literals, and any variable that still has its initial value. A few
// variables belong to the device although they are in no section of it: inline variables and static variables of device
// functions, which the translator tags, and variable templates, whose full names it lists. The device has copies of these,
// swapped in while a launch uses them, so that host and device never share one.
//
// The sections of __device__ and __constant__ variables can be hidden. The host then has its own copies, like the shadow
// variables that nvcc makes.
#pragma once
#include <stdint.h>

#include <map>
#include <string>
#include <vector>

#include "simt_api.h"

namespace simt {

class StaticData {
  public:
    // Of a module that has just been loaded: what its variables hold are their first values.
    explicit StaticData(const simt_module& module);

    // May a kernel make this access? Puts the device's copy of a variable in place where it has one.
    bool allows(uintptr_t address, uintptr_t bytes, int kind);
    // Of the variable that lies there, or "".
    std::string name_at(uintptr_t address);
    // The host's values come back.
    void end_launch();
    void hide_device_variables(bool hidden);

  private:
    struct Segment {  // of the file, with its first values: the pages that were not all zero
        uintptr_t begin, bytes;
        std::map<uintptr_t, std::vector<char>> pages{};  // by number
    };
    struct Variable {
        uintptr_t begin, bytes;
        std::string name;
        bool is_guard, is_of_device;
        bool in_place = false;      // the device's copy
        std::vector<char> other{};  // the copy that is not in place; empty: the device has none yet
    };
    struct Section {
        char* begin;
        size_t bytes;
        std::vector<char> other{};  // the copy that is not in place; empty: never hidden yet
    };

    Variable* variable_at(uintptr_t address);
    void read_variables();
    void put_in_place(Variable& variable);
    std::vector<char> first_values(uintptr_t begin, uintptr_t bytes) const;

    const simt_module& module_;
    std::vector<Segment> writable_;
    std::vector<Variable> variables_;  // by address; read from the file when they are needed
    bool has_variables_ = false, hidden_ = false;
    std::vector<Variable*> in_place_;
    std::vector<Section> sections_;
};

// Of all modules that are loaded.
void hide_device_variables(bool hidden);

}  // namespace simt
