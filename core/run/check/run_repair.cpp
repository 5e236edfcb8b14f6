// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "core/base/file.h"
#include "core/base/free_path.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/run/check/event_check.h"
#include "core/run/check/run_check.h"
#include "core/run/run_folder.h"
#include "core/telemetry/journal_repair.h"

namespace lockstep::run {

namespace fs = std::filesystem;

namespace {

using Sentences = std::vector<std::string>;

/// Of this moment, in the journal.
Result<void> note(telemetry::JournalWriter& journal, const std::string& sentence) {
    wire::Record record;
    record.set_wall_time(
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count());
    record.mutable_notice()->set_role(wire::ROLE_AGENT);
    record.mutable_notice()->set_sentence(sentence);
    TRY(journal.append(record.SerializeAsString()));
    return journal.sync();
}

/// What is lost stays told: in the journal itself.
Result<void> repairJournal(const fs::path& path, Sentences& all) {
    std::error_code error;
    if (!fs::exists(path, error)) return {};
    const auto before = TRY(telemetry::checkJournal(path));
    if (before.damage.bytes == 0 && before.torn == 0) return {};
    const auto mended = TRY(telemetry::mendJournal(path));
    Sentences done;
    if (mended.bytes > 0) {
        const std::string first = mended.keptIn.front().filename().string();
        done.push_back(fmt::format(
            "{} of the journal could not be read: what they held is missing; they are kept in {}",
            counted(mended.bytes, "byte"),
            mended.keptIn.size() == 1
                ? first
                : fmt::format("{} and {}", first,
                              counted(mended.keptIn.size() - 1, "other file"))));
    }
    if (mended.left > 0)
        done.push_back(
            fmt::format("{} of the journal that cannot be read stay there, too few for "
                        "anything to take their place",
                        counted(mended.left, "byte")));
    const auto journal = TRY(telemetry::JournalWriter::open(path));
    if (before.torn > 0)
        done.push_back(fmt::format("{} at the journal's torn end were cut off: {}",
                                   counted(before.torn, "byte"), journal->openingNote()));
    for (const std::string& sentence : done) {
        all.push_back(sentence);
        TRY(note(*journal, "repaired: " + sentence));
    }
    return {};
}

Result<void> repairCheckpoints(const fs::path& folder, Sentences& done) {
    std::error_code error;
    if (!fs::exists(folder, error)) return {};
    auto store =
        TRY(checkpoint::CheckpointStore::open(folder, checkpoint::CheckpointStore::Access::Write));
    for (std::string& sentence : TRY(store.repair()))
        done.push_back(std::move(sentence));
    return {};
}

/// A whole copy of the file beside it, on the disk: `damaged.NAME`.
Result<fs::path> copyAside(const fs::path& file) {
    fs::path kept = freePath(file.parent_path() / ("damaged." + file.filename().string()));
    const fs::path begun = kept.string() + ".tmp";
    std::error_code error;
    fs::copy_file(file, begun, fs::copy_options::overwrite_existing, error);
    const UniqueFd copy(error ? -1 : ::open(begun.c_str(), O_RDONLY | O_CLOEXEC));
    std::string problem = error ? error.message() : "";
    if (problem.empty() && (!copy.valid() || ::fsync(copy.get()) != 0)) problem = errnoText();
    if (problem.empty()) fs::rename(begun, kept, error);
    if (problem.empty() && error) problem = error.message();
    if (problem.empty()) TRY(syncFolder(file.parent_path()));
    if (problem.empty()) return kept;
    fs::remove(begun, error);
    return fail(ErrorCode::Io,
                fmt::format("copying {} to {}: {}", file.string(), kept.string(), problem));
}

/// TensorBoard reads no further than to the first damage anyway.
Result<void> repairEvents(const fs::path& folder, const fs::path& run, Sentences& done) {
    for (const fs::path& file : eventFiles(folder)) {
        const auto check = TRY(checkEventFile(file));
        if (!check.isDamaged && check.torn() == 0) continue;
        const fs::path kept = TRY(copyAside(file));
        std::error_code error;
        fs::resize_file(file, check.intact, error);
        if (error)
            return fail(ErrorCode::Io,
                        fmt::format("cutting {}: {}", file.string(), error.message()));
        done.push_back(fmt::format(
            "{} ends behind its last intact record now, {} shorter; as it was it is called {}",
            file.lexically_relative(run).generic_string(), counted(check.torn(), "byte"),
            kept.filename().string()));
    }
    return {};
}

}  // namespace

Result<void> repairRun(const fs::path& folder, std::vector<std::string>& done) {
    const RunPaths paths{folder};
    if (!holdsRun(paths))
        return fail(ErrorCode::NotFound, fmt::format("{} holds no run", folder.string()),
                    "Name the folder that `lockstepctl run` printed.");
    // Nobody goes on with it meanwhile.
    const auto lock = lockRunFolder(paths, readRunId(paths));
    if (!lock && lock.error().code == ErrorCode::Unavailable)
        return fail(ErrorCode::BadInput, fmt::format("{} is a run under way", folder.string()),
                    "Stop it, or wait until it has ended.");
    if (!lock) return fail(lock.error());
    TRY(repairJournal(paths.journal(), done));
    // A program of one's own keeps its checkpoints in a form that is its own.
    if (!runsOwnProgram(paths)) TRY(repairCheckpoints(paths.checkpoints(), done));
    return repairEvents(paths.events(), paths.folder, done);
}

}  // namespace lockstep::run
