// SPDX-License-Identifier: Apache-2.0
#include "core/run/check/run_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/config/document/job_file.h"
#include "core/run/check/event_check.h"
#include "core/run/run_folder.h"
#include "core/text/json.h"

namespace lockstep::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestSummary = std::size_t{64} << 20;

std::uint64_t sizeOf(const fs::path& path) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) return fs::file_size(path, error);
    std::uint64_t bytes = 0;
    fs::recursive_directory_iterator entry(path, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
        if (std::error_code unknown; entry->is_regular_file(unknown))
            bytes += entry->file_size(unknown);
    return bytes;
}

class Checker {
public:
    Checker(RunPaths paths, RunCheck& found) : paths_(std::move(paths)), found_(found) {}

    void checkAll() {
        checkJob();
        checkJournal();
        if (!ownProgram_) checkCheckpoints();
        checkEvents();
        checkSummary();
    }

private:
    void add(const fs::path& path, std::string problem = {}) {
        found_.parts.push_back({path.lexically_relative(paths_.folder).generic_string(),
                                sizeOf(path), std::move(problem)});
    }

    void checkJob() {
        const auto text = readFile(paths_.job(), config::kJobFileLimitBytes);
        if (!text) return add(paths_.job(), text.error().message);
        const auto document = config::JobDocument::parse(*text, "job.toml");
        add(paths_.job(), document ? "" : document.error().message);
    }

    /// What its end lacks may be under way.
    void checkJournal() {
        auto account = accountOf(paths_.journal());
        if (!account) return add(paths_.journal(), account.error().message);
        found_.journal = *account;
        if (ownProgram_) found_.journal.missingSteps = 0;
        telemetry::JournalCheck check = account->check;
        if (found_.isRunning) check.torn = 0;
        add(paths_.journal(), telemetry::describe(check));
    }

    void checkCheckpoints() {
        std::error_code error;
        if (!fs::exists(paths_.checkpoints(), error)) return;
        const auto store = checkpoint::CheckpointStore::open(
            paths_.checkpoints(), checkpoint::CheckpointStore::Access::Read);
        const auto steps =
            store ? store->list() : Result<std::vector<std::int64_t>>(fail(store.error()));
        if (!steps) return add(paths_.checkpoints(), steps.error().message);
        for (const std::int64_t step : *steps) {
            const auto verified = store->verify(step);
            // Retention may have removed it meanwhile.
            if (!verified && verified.error().code == ErrorCode::NotFound && found_.isRunning)
                continue;
            add(store->folderOf(step), verified ? "" : verified.error().message);
            if (const auto suspicion = checkpoint::suspicionOf(paths_.checkpoints(), step))
                found_.parts.back().suspicion = suspicionText(*suspicion);
        }
        checkPointer("LATEST", store->latest(), *steps, !steps->empty());
        checkPointer("BEST", store->best(), *steps, false);
    }

    void checkPointer(const char* name, const Result<std::int64_t>& step,
                      const std::vector<std::int64_t>& steps, bool mustBeThere) {
        const fs::path path = paths_.checkpoints() / name;
        const bool isThere = step || step.error().code != ErrorCode::NotFound;
        if (!isThere && !mustBeThere) return;
        if (!step) return add(path, step.error().message);
        const bool isKnown = found_.isRunning || std::ranges::find(steps, *step) != steps.end();
        add(path, isKnown ? "" : fmt::format("names step {}, which is not there", *step));
    }

    void checkEvents() {
        for (const fs::path& file : eventFiles(paths_.events())) {
            const auto check = checkEventFile(file);
            if (!check)
                add(file, check.error().message);
            else if (check->isDamaged || (check->torn() > 0 && !found_.isRunning))
                add(file,
                    fmt::format("{} of its {} bytes can be read", check->intact, check->bytes));
            else
                add(file);
        }
    }

    void checkSummary() {
        const auto text = readFile(paths_.summary(), kLargestSummary);
        std::error_code error;
        if (!text && !fs::exists(paths_.summary(), error)) {
            if (!found_.isRunning)
                add(paths_.summary(), "is missing: the run was cut off, or is to be resumed");
            return;
        }
        const auto summary =
            text ? text::parseJson(*text, kLargestSummary) : Result<text::Json>(fail(text.error()));
        add(paths_.summary(), summary ? "" : summary.error().message);
        if (summary) found_.lostRecords = summary->get<std::uint64_t>("lost_records").value_or(0);
    }

    const RunPaths paths_;
    RunCheck& found_;
    const bool ownProgram_ = runsOwnProgram(paths_);
};

}  // namespace

std::uint64_t RunCheck::damagedParts() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        parts, [](const CheckedPart& part) { return !part.problem.empty(); }));
}

bool runsOwnProgram(const RunPaths& paths) {
    const auto text = readFile(paths.job(), config::kJobFileLimitBytes);
    const auto document = text ? config::JobDocument::parse(*text, "job.toml")
                               : Result<config::JobDocument>(fail(text.error()));
    return document && document->spec().launch.runsOwnProgram();
}

Result<RunCheck> checkRun(const fs::path& folder) {
    const RunPaths paths{folder};
    if (!holdsRun(paths))
        return fail(ErrorCode::NotFound, fmt::format("{} holds no run", folder.string()),
                    "Name the folder that `lockstepctl run` printed.");
    RunCheck found;
    found.isRunning = isLocked(paths);
    Checker(paths, found).checkAll();
    return found;
}

}  // namespace lockstep::run
