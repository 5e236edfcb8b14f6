// SPDX-License-Identifier: Apache-2.0
#include "core/data/packed/scratch_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "core/base/try.h"

namespace lockstep::data {

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
/// Less is not worth a look at what is free.
constexpr std::uint64_t kUnchecked = 256 * kMebibyte;

Result<std::uint64_t> freeMemory() {
    std::ifstream info("/proc/meminfo");
    for (std::string word; info >> word;) {
        std::uint64_t kilobytes = 0;
        if (word == "MemAvailable:" && info >> kilobytes) return kilobytes * 1024;
    }
    return fail(ErrorCode::Unavailable, "the system does not tell how much memory is free");
}

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

Result<void> checkMemoryFor(std::uint64_t bytes) {
    if (bytes < kUnchecked) return {};
    const auto free = freeMemory();
    if (!free || bytes <= *free) return {};  // who does not know hopes
    return fail(
        ErrorCode::Unavailable,
        fmt::format("the data take more memory than the {} MiB that are free", *free / kMebibyte));
}

Result<void> ScratchBytes::append(std::span<const std::uint8_t> bytes) {
    if (!folder_.empty() && held_.size() + bytes.size() > kHeld) TRY(spill());
    if (file_.valid() && held_.empty() && bytes.size() > kHeld)
        return writeAll(file_.get(), std::as_bytes(bytes));
    if (held_.size() + bytes.size() > held_.capacity()) {
        const std::size_t wanted = 2 * held_.size() + bytes.size();
        TRY(checkMemoryFor(wanted));
        held_.reserve(wanted);
    }
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    return {};
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
    const auto written = writeAll(file_.get(), std::as_bytes(std::span(held_)));
    if (!written)
        return fail(ErrorCode::Io,
                    fmt::format("{} takes no more: {}", folder_.string(), written.error().message));
    held_.clear();
    return {};
}

Result<SharedBytes> ScratchBytes::take() {
    if (!file_.valid()) {
        held_.shrink_to_fit();
        return SharedBytes(std::move(held_));
    }
    TRY(spill());
    held_ = {};
    return TRY(mapOpenFile(file_.get(), folder_ / "(a file without a name)")).withoutName();
}

}  // namespace lockstep::data
