// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/suspect_mark.h"

#include <fmt/format.h>

#include <system_error>

#include "core/base/file.h"
#include "core/base/plural.h"
#include "core/checkpoint/layout.h"
#include "core/text/json.h"

namespace lockstep::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMostBytes = 64 << 10;

}  // namespace

std::string suspicionText(const Suspicion& suspicion) {
    const std::int64_t steps = suspicion.failedAt - suspicion.step;
    if (steps <= 0) return "its loss became NaN soon after it";
    return fmt::format("its loss became NaN within {} of it", counted(steps, "step"));
}

Result<void> markSuspect(const fs::path& checkpoints, const Suspicion& suspicion) {
    const fs::path folder = checkpoints / folderName(suspicion.step);
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return fail(ErrorCode::NotFound,
                    fmt::format("checkpoint {} does not exist (any more)", folder.string()));
    const auto mark = text::Json::object({{"format", kFormat},
                                          {"step", suspicion.step},
                                          {"failed_at", suspicion.failedAt},
                                          {"cause", suspicion.cause}});
    return replaceFileDurably(folder / kSuspectFile, mark.text(2) + "\n");
}

Result<void> removeSuspicion(const fs::path& checkpoints, std::int64_t step) {
    const fs::path file = checkpoints / folderName(step) / kSuspectFile;
    std::error_code error;
    fs::remove(file, error);
    if (!error) return {};
    return fail(ErrorCode::Io, fmt::format("cannot remove {}: {}", file.string(), error.message()));
}

std::optional<Suspicion> suspicionOf(const fs::path& checkpoints, std::int64_t step) {
    const fs::path file = checkpoints / folderName(step) / kSuspectFile;
    std::error_code error;
    if (!fs::exists(file, error)) return std::nullopt;
    Suspicion suspicion{.step = step, .failedAt = 0, .cause = {}};
    const auto text = readFile(file, kMostBytes);
    const auto mark = text ? text::parseJson(*text) : Result<text::Json>(fail(text.error()));
    if (!mark) return suspicion;
    suspicion.failedAt = mark->get<std::int64_t>("failed_at").value_or(0);
    suspicion.cause = mark->get<std::string>("cause").value_or("");
    return suspicion;
}

}  // namespace lockstep::checkpoint
