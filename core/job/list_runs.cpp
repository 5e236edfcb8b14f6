// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "core/base/summary_limit.h"
#include "core/config/document/job_file.h"
#include "core/config/keys/key_table.h"
#include "core/job/best_validation.h"
#include "core/job/fold/run_summary.h"
#include "core/job/fold/score.h"
#include "core/job/runs_folder.h"
#include "core/job/runs_memory.h"
#include "core/job/slurm_source.h"
#include "core/job/source/remote_record.h"
#include "core/run/agent_registry.h"
#include "core/run/run_folder.h"
#include "core/telemetry/journal.h"
#include "core/text/json.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

void readSummary(const run::RunPaths& paths, const config::JobSpec& job, RunEntry& entry) {
    const SummaryFile file = readSummaryFile(paths);
    if (!file.problem.empty()) {  // it has ended, one way or another
        entry.status = "unknown";
        entry.missing = "its summary cannot be read: " + file.problem;
    }
    if (file.text.empty()) return;
    const auto summary = text::parseJson(file.text, kMostSummaryBytes).value_or(text::Json());
    entry.status = summary.get<std::string>("status").value_or(entry.status);
    entry.missing = summary.get<std::string>("missing_records").value_or("");
    const text::Json* records = summary.find("records");
    const auto lost = records == nullptr ? std::nullopt : records->get<std::string>("missing");
    if (lost) entry.missing += (entry.missing.empty() ? "" : "; ") + *lost;
    if (const text::Json* drills = summary.find("drills"))
        entry.drills =
            static_cast<int>(std::ranges::count_if(drills->items(), [](const text::Json& drill) {
                return drill.get<bool>("counted").value_or(false);
            }));
    entry.testAccuracy = summary.get<double>("test_accuracy");
    entry.testScore = testScoreIn(file.text, job.training.metrics);
    const auto newest = summary.get<double>("wall_seconds");
    entry.tookSeconds = summary.get<double>("total_wall_seconds").value_or(newest.value_or(0));
}

std::vector<RunSetting> settingsOf(const config::JobSpec& job) {
    std::vector<RunSetting> settings;
    for (const auto& key : config::jobKeys()) {
        std::string value = key.write(job);
        if (!value.empty()) settings.push_back({key.help.key, std::move(value)});
    }
    return settings;
}

double modificationTime(const fs::path& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? static_cast<double>(status.st_mtim.tv_sec) : 0;
}

/// What the files of a run say, whoever has it now.
std::optional<RunEntry> readEntry(const fs::path& folder) {
    const run::RunPaths paths{folder};
    auto document = config::loadJobFile(paths.job());
    if (!document) return std::nullopt;
    RunEntry entry;
    entry.runDir = folder;
    entry.name = document->spec().name;
    entry.startedWallTime = modificationTime(paths.job());
    entry.runId = run::readRunId(paths);
    auto validation = validationIn(paths.events(), document->spec().training.metrics);
    if (validation) {
        entry.validationScore = std::move(validation->best);
        entry.validationCurve = std::move(validation->curve);
    }
    entry.settings = settingsOf(document->spec());
    entry.status = "interrupted";
    readSummary(paths, document->spec(), entry);
    if (auto about = readAbout(folder))
        entry.about = std::move(*about);
    else
        entry.aboutProblem = about.error().message;
    return entry;
}

/// What the summary of a former start says is none of a start that goes on.
void showRunning(RunEntry& entry) {
    entry.running = true;
    entry.status = "running";
    entry.missing.clear();
    entry.testAccuracy.reset();
    entry.testScore.reset();
    entry.tookSeconds = 0;
    entry.drills = 0;
}

/// Makes entries, of what is remembered where that is as it was.
class Listing {
public:
    explicit Listing(RunsMemory* memory) : memory_(memory) {}

    void addRunsBelow(const fs::path& folder) {
        std::error_code error;
        std::set<fs::path> found;
        fs::directory_iterator next(folder, error);
        for (const fs::directory_iterator end; !error && next != end; next.increment(error))
            if (add(next->path())) found.insert(next->path());
        if (memory_ != nullptr && !error) memory_->finish(folder, found);
    }

    /// A job that was started with a folder of its own and goes on unseen must be found, too.
    void addRunningElsewhere() {
        for (const run::AgentRecord& agent : run::registeredAgents()) {
            std::error_code error;
            const fs::path folder = fs::weakly_canonical(agent.runDir, error);
            const bool isListed =
                error || std::ranges::find(runs_, folder, &RunEntry::runDir) != runs_.end();
            if (!isListed && agent.hostsCoordinator) add(folder);
        }
    }

    /// The newest first.
    [[nodiscard]] std::vector<RunEntry> take() {
        std::sort(runs_.begin(), runs_.end(), [](const RunEntry& a, const RunEntry& b) {
            return a.startedWallTime != b.startedWallTime ? a.startedWallTime > b.startedWallTime
                                                          : a.runDir > b.runDir;
        });
        cost_.runs = static_cast<int>(runs_.size());
        return std::move(runs_);
    }
    [[nodiscard]] const ListingCost& cost() const { return cost_; }

private:
    bool add(const fs::path& folder) {
        // Before it is read: what changes meanwhile is read again.
        const std::string stamp = memory_ != nullptr ? stampOf(folder) : std::string();
        if (memory_ != nullptr && stamp.empty()) return false;
        const bool isRunning = run::isLocked(run::RunPaths{folder});
        const auto known = memory_ != nullptr ? memory_->find(folder, stamp) : nullptr;
        if (known) {
            runs_.push_back(*known);
        } else {
            ++cost_.read;
            auto entry = readEntry(folder);
            if (!entry) return false;
            if (memory_ != nullptr) memory_->keep(std::make_shared<const RunEntry>(*entry), stamp);
            runs_.push_back(std::move(*entry));
        }
        if (isRunning) showRunning(runs_.back());
        return true;
    }

    RunsMemory* memory_;
    std::vector<RunEntry> runs_;
    ListingCost cost_;
};

std::vector<RunEntry> list(const fs::path& runsFolder, RunsMemory* memory, ListingCost* cost) {
    Listing listing(memory);
    if (runsFolder.empty()) {
        for (const fs::path& folder : knownRunsFolders())
            listing.addRunsBelow(folder);
        listing.addRunningElsewhere();
    } else {
        listing.addRunsBelow(runsFolder);
    }
    auto runs = listing.take();
    if (cost != nullptr) *cost = listing.cost();
    return runs;
}

/// What of a journal cannot be read, in words; empty: nothing.
std::string journalDamage(const fs::path& journal) {
    const auto check = telemetry::checkJournal(journal);
    return check ? telemetry::describe(*check) : check.error().message;
}

}  // namespace

bool mayGoOnUnseen(const fs::path& runDir) {
    const auto remote = readRemoteRecord(runDir);
    return (remote && !remote->ended) || isSubmitted(run::RunPaths{runDir});
}

bool isRunning(const fs::path& runDir) {
    return run::isLocked(run::RunPaths{runDir}) || mayGoOnUnseen(runDir);
}

std::vector<RunEntry> listRuns(const fs::path& runsFolder) {
    return list(runsFolder, nullptr, nullptr);
}

std::vector<RunEntry> listRuns(const fs::path& runsFolder, RunsMemory& memory, ListingCost* cost) {
    return list(runsFolder, &memory, cost);
}

std::vector<RecordsCheck> checkRecords(const std::vector<RunEntry>& runs, std::uint64_t mostBytes) {
    std::vector<RecordsCheck> checks;
    for (const RunEntry& run : runs) {
        RecordsCheck& check = checks.emplace_back(RecordsCheck{run.missing, false});
        const fs::path journal = run::RunPaths{run.runDir}.journal();
        std::error_code error;
        const std::uint64_t size = fs::file_size(journal, error);
        if (run.running || (!error && size > mostBytes)) continue;
        if (!error) mostBytes -= size;
        check.examined = true;
        const std::string damage = journalDamage(journal);
        if (!check.missing.empty() && !damage.empty()) check.missing += "; ";
        check.missing += damage;
    }
    return checks;
}

}  // namespace lockstep::job
