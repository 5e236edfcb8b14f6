// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/arriving_checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/base/uninterrupted.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/folder_ops.h"
#include "core/checkpoint/layout.h"

namespace lockstep::checkpoint {

namespace fs = std::filesystem;

namespace {

/// Not a name that a writer's clean-up removes: it is gone on with.
constexpr std::string_view kPrefix = ".fetch-";

tl::unexpected<Error> cannotStore(const fs::path& path, const std::string& reason) {
    return fail(ErrorCode::Io,
                fmt::format("cannot store the fetched checkpoint in {}: {}", path.string(), reason),
                "See that there is space, and that this user may write there.");
}

tl::unexpected<Error> noFile(const std::string& name) {
    return fail(ErrorCode::BadInput,
                fmt::format("{} is no file of a checkpoint", sanitizeLine(name, 80)));
}

}  // namespace

bool isOfContents(std::string_view file, Contents contents) {
    const bool isOfOptimizer =
        file == kOptimizerFile || file.starts_with(std::string(kOptimizerFolder) + "/");
    return contents == Contents::All || !isOfOptimizer;
}

ArrivingCheckpoint::ArrivingCheckpoint(fs::path folder, std::int64_t step)
    : folder_(std::move(folder)),
      step_(step),
      temporary_(folder_ / fmt::format("{}{}", kPrefix, step)) {}

Result<Manifest> ArrivingCheckpoint::begin(const std::string& manifest) const {
    auto parsed = parseManifest(manifest);
    if (!parsed) return failWithin(kManifestFile, parsed.error());
    if (parsed->step != step_)
        return fail(ErrorCode::Corrupt, fmt::format("its manifest is of step {}", parsed->step));
    const auto begun = readFile(temporary_ / kManifestFile, kLargestManifest);
    std::error_code error;
    if (!begun || *begun != manifest) fs::remove_all(temporary_, error);  // of another commit
    fs::create_directories(temporary_, error);
    if (error) return cannotStore(temporary_, error.message());
    if (auto written = replaceFileDurably(temporary_ / kManifestFile, manifest); !written)
        return cannotStore(temporary_, written.error().message);
    return *std::move(parsed);
}

Result<std::uint64_t> ArrivingCheckpoint::sizeOf(const std::string& file) const {
    if (!isFileOfCheckpoint(file)) return noFile(file);
    std::error_code absent;
    const auto bytes = fs::file_size(temporary_ / file, absent);
    return absent ? 0 : static_cast<std::uint64_t>(bytes);
}

Result<void> ArrivingCheckpoint::add(const std::string& file, std::uint64_t offset,
                                     std::string_view bytes) const {
    if (!isFileOfCheckpoint(file)) return noFile(file);
    const fs::path path = temporary_ / file;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);  // of a shard
    if (error) return cannotStore(path.parent_path(), error.message());
    const UniqueFd fd(uninterrupted([&] {
        return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    }));
    struct stat status {};
    if (!fd.valid() || ::fstat(fd.get(), &status) != 0) return cannotStore(path, errnoText());
    if (static_cast<std::uint64_t>(status.st_size) != offset)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} has {} bytes, not {}", file, status.st_size, offset));
    if (auto written = writeAll(fd.get(), bytes); !written)
        return cannotStore(path, written.error().message);
    return {};
}

Result<void> ArrivingCheckpoint::makeDurable(Contents contents) const {
    const auto text = readFile(temporary_ / kManifestFile, kLargestManifest);
    if (!text) return cannotStore(temporary_, text.error().message);
    const auto manifest = TRY(parseManifest(*text));
    std::set<fs::path> folders{temporary_};
    for (const auto& [name, record] : manifest.files) {
        if (!isOfContents(name, contents)) continue;
        const fs::path path = temporary_ / name;
        const UniqueFd fd(
            uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); }));
        if (!fd.valid()) return fail(ErrorCode::Corrupt, fmt::format("{} did not come", name));
        if (uninterrupted([&] { return ::fsync(fd.get()); }) != 0)
            return cannotStore(path, errnoText());
        folders.insert(path.parent_path());
    }
    for (const fs::path& folder : folders)
        TRY(syncFolder(folder));
    return {};
}

/// Verified against the manifest as every checkpoint is that is read, then given its name.
Result<void> ArrivingCheckpoint::place(Contents contents) const {
    TRY(makeDurable(contents));
    {
        const UniqueFd folder(uninterrupted(
            [&] { return ::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
        if (!folder.valid()) return cannotStore(temporary_, errnoText());
        const auto verified = verifyCheckpoint(folder.get(), step_, contents);
        if (!verified)
            return fail(ErrorCode::Corrupt,
                        fmt::format("the checkpoint of step {} came damaged: {}", step_,
                                    verified.error().message));
    }
    if (auto renamed = renameOrExchange(temporary_, folder_ / folderName(step_)); !renamed)
        return cannotStore(folder_, renamed.error().message);
    TRY(syncFolder(folder_));
    discard();  // the one that it has replaced
    return {};
}

void ArrivingCheckpoint::discard() const {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
}

void ArrivingCheckpoint::discardOthers() const {
    for (const std::int64_t step : arrivingSteps(folder_))
        if (step != step_) ArrivingCheckpoint(folder_, step).discard();
}

std::vector<std::int64_t> arrivingSteps(const fs::path& folder) {
    std::vector<std::int64_t> steps;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(kPrefix)) continue;
        const auto step = stepOfFolder("step-" + name.substr(kPrefix.size()));
        if (step) steps.push_back(*step);
    }
    std::ranges::sort(steps);
    return steps;
}

}  // namespace lockstep::checkpoint
