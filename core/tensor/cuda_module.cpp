// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda_module.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "core/base/try.h"

namespace lockstep::tensor {

namespace {

constexpr const char* kFileName = "lockstep-cuda.so";

/// Beside the program or its tests (a build), then in the installed tree.
std::string findModule() {
    std::error_code ignored;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const std::filesystem::path folder = program.parent_path();
    for (const auto& place : {folder / kFileName, folder / "../bin" / kFileName,
                              folder / "../lib" / kFileName, folder / "../lib/lockstep" / kFileName,
                              folder / "../" LOCKSTEP_LIBRARY_FOLDER "/lockstep" / kFileName})
        if (std::filesystem::exists(place, ignored)) return place.string();
    return {};
}

}  // namespace

Result<CudaModule> loadCudaModule(const std::string& path) {
    std::error_code ignored;
    const std::string place = path.empty() ? findModule() : path;
    if (place.empty() || !std::filesystem::exists(place, ignored))
        return fail(ErrorCode::NotFound, "the module lockstep-cuda is not installed",
                    "Install the package lockstep-cuda, or build Lockstep where CUDA 12 or 13 is.");
    auto library = TRY(DynamicLibrary::open(place));
    const auto entry = TRY(library.function<CudaModuleEntry>("lockstepCudaModule"));
    const CudaModuleTable* table = (entry)(kCudaModuleAbi);
    if (table == nullptr || std::strcmp(table->version, LOCKSTEP_VERSION) != 0)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} is of another build than this program ({})", place,
                                table == nullptr ? "another interface" : table->version),
                    "Install lockstep-worker and lockstep-cuda from one package.");
    return CudaModule{std::move(library), *table};
}

}  // namespace lockstep::tensor
