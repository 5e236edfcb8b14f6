// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace lockstep {

/// A shared library that is loaded while the program runs, for what not every machine has. It
/// stays loaded until the process ends: libraries with threads of their own cannot be unloaded.
/// Thread-safe.
class DynamicLibrary {
public:
    /// `name` as for dlopen: a path, or a name that is searched where the system's loader searches.
    /// Unavailable, with the loader's words, when it or a library that it needs is not there.
    [[nodiscard]] static Result<DynamicLibrary> open(const std::string& name);

    [[nodiscard]] const std::string& name() const { return name_; }

    /// The function called `symbol` as a pointer of type F. Unavailable when there is none.
    template <typename F>
    [[nodiscard]] Result<F> function(const char* symbol) const {
        auto found = address(symbol);
        if (!found) return fail(std::move(found).error());
        return reinterpret_cast<F>(*found);
    }

private:
    DynamicLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
    [[nodiscard]] Result<void*> address(const char* symbol) const;

    std::string name_;
    void* handle_;
};

}  // namespace lockstep
