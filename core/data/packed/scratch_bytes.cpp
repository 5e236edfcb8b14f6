// SPDX-License-Identifier: Apache-2.0
#include "core/data/packed/scratch_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "core/base/try.h"

namespace lockstep::data {

namespace {

/// A file without a name, so that nothing is left of it however the process ends.
UniqueFd namelessFile(const std::filesystem::path& folder) {
    std::string name = (folder / "scratch-XXXXXX").string();
    UniqueFd file(::mkostemp(name.data(), O_CLOEXEC));
    if (file.valid()) {
        std::error_code error;
        std::filesystem::remove(name, error);
    }
    return file;
}

}  // namespace

Result<void> ScratchBytes::append(std::span<const std::uint8_t> bytes) {
    if (!folder_.empty() && held_.size() + bytes.size() > kHeld) TRY(spill());
    if (file_.valid() && bytes.size() > kHeld) return writeAll(file_.get(), std::as_bytes(bytes));
    return held_.append(bytes);
}

Result<void> ScratchBytes::spill() {
    if (!file_.valid()) {
        std::error_code error;
        std::filesystem::create_directories(folder_, error);
        file_ = namelessFile(folder_);
        if (!file_.valid())
            return fail(ErrorCode::Io,
                        fmt::format("{} takes no files: {}", folder_.string(), errnoText()));
    }
    const auto written = writeAll(file_.get(), std::as_bytes(held_.bytes()));
    if (!written)
        return fail(ErrorCode::Io,
                    fmt::format("{} takes no more: {}", folder_.string(), written.error().message));
    held_.clear();
    return {};
}

Result<SharedBytes> ScratchBytes::take() {
    if (!file_.valid()) return held_.take();
    TRY(spill());
    held_ = {};
    return TRY(mapOpenFile(file_.get(), folder_ / "(a file without a name)")).withoutName();
}

}  // namespace lockstep::data
