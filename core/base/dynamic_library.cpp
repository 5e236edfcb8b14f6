// SPDX-License-Identifier: Apache-2.0
#include "core/base/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace lockstep {

Result<DynamicLibrary> DynamicLibrary::open(const std::string& name) {
    void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle != nullptr) return DynamicLibrary(name, handle);
    // The loader's words begin with the library that it lacks, which may be another one.
    const char* reason = ::dlerror();
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot load {}", reason != nullptr ? reason : name.c_str()));
}

Result<void*> DynamicLibrary::address(const char* symbol) const {
    void* found = ::dlsym(handle_, symbol);
    if (found != nullptr) return found;
    return fail(ErrorCode::Unavailable, fmt::format("{} has no function {}", name_, symbol));
}

}  // namespace lockstep
