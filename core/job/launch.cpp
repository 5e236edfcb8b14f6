// SPDX-License-Identifier: Apache-2.0
// How sessions come about: launch() and attach() of session.h.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <sstream>

#include "core/base/absolute_path.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/job_paths.h"
#include "core/job/fold/session.h"
#include "core/job/folding_session.h"
#include "core/job/journal_session.h"
#include "core/job/remote_session.h"
#include "core/job/runs_folder.h"
#include "core/job/slurm_source.h"
#include "core/job/source/launch_source.h"
#include "core/job/source/ssh_links.h"
#include "core/job/trust.h"
#include "core/launch/host/host_plan.h"
#include "core/launch/process/child_process.h"
#include "core/run/run_folder.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

/// The folder that a launch runs in, and how.
struct Place {
    fs::path folder;  ///< Absolute.
    bool resume = false;
    fs::path created{};  ///< The topmost folder that was made for it; empty: none.
};

/// Made at once, so that two launches in the same second do not meet in it.
Result<Place> freshPlace(const fs::path& runsFolder, const std::string& jobName) {
    const fs::path missing = run::firstMissingFolder(runsFolder);
    auto folder = TRY(run::reserveFolder(runsFolder, run::fileName(jobName) + "-" + utcStamp()));
    return Place{folder, false, missing.empty() ? folder : missing};
}

/// What a run in a folder of many projects does otherwise than this job, as the lines of both;
/// empty: nothing, it is of this job. What may change from start to start counts for nothing.
std::string otherWork(const config::JobSpec& job, const fs::path& runDir) {
    const auto document = config::loadJobFile(run::RunPaths{runDir}.job());
    if (!document) return {};
    const auto isAbsolute = [](const config::JobSpec& spec) {
        return fs::path(spec.launch.directory).is_absolute();
    };
    const bool hasPlaces = isAbsolute(job) && isAbsolute(document->spec());
    const auto workOf = [hasPlaces](const config::JobSpec& whole) {
        config::JobSpec part;
        part.data.dataset = whole.data.dataset;
        part.data.directory = whole.data.directory;
        part.data.imageSize = whole.data.imageSize;
        part.data.color = whole.data.color;
        part.model = whole.model;
        part.launch.command = whole.launch.command;
        if (hasPlaces) part.launch.directory = whole.launch.directory;
        return config::resolvedToml(part);
    };
    std::istringstream own(workOf(job));
    std::istringstream theirs(workOf(document->spec()));
    for (std::string here, there; std::getline(own, here) && std::getline(theirs, there);)
        if (here != there) return fmt::format("`{}` there, `{}` here", there, here);
    return {};
}

/// The newest run of this job that has checkpoints, for a resume that names no folder: where its
/// runs lie now, or in the working directory's `runs`. Names say little where several projects'
/// runs may lie. Unavailable where all of that name are of other work.
Result<fs::path> newestResumable(const fs::path& runsFolder, const config::JobSpec& job,
                                 const fs::path& jobFolder) {
    std::error_code error;
    const fs::path here = absolutePath("runs").value_or(runsFolder);
    std::vector<RunEntry> runs = listRuns(runsFolder);
    if (here != runsFolder) std::ranges::move(listRuns(here), std::back_inserter(runs));
    std::ranges::stable_sort(runs, std::ranges::greater{}, &RunEntry::startedWallTime);
    std::string others;
    for (const RunEntry& run : runs) {
        if (run.name != job.name || !fs::exists(run.runDir / "checkpoints", error)) continue;
        const bool isBesideJob = run.runDir.parent_path() == jobFolder / "runs";
        const std::string other = isBesideJob ? std::string() : otherWork(job, run.runDir);
        if (other.empty()) return run.runDir;
        if (others.empty())
            others = fmt::format("{}, the newest run of {}, is of another job: {}",
                                 run.runDir.string(), job.name, other);
    }
    if (!others.empty())
        return fail(
            ErrorCode::Unavailable, others,
            "To go on with it all the same, or with another one, name its folder with --run-dir.");
    return fail(ErrorCode::BadInput,
                fmt::format("there is no run of {} with checkpoints below {}{}", job.name,
                            runsFolder.string(), here == runsFolder ? "" : " or " + here.string()),
                "Name the run's folder with --run-dir.");
}

/// checkpoint.resume = "auto" makes or restores: it goes on where there is something to go on from.
/// `base`: the job file's folder, else the working directory; the job's paths are absolute.
Result<Place> placeOf(const config::JobSpec& job, const fs::path& jobFolder, const fs::path& base,
                      const LaunchOptions& options) {
    const bool restores = job.checkpoint.resume == config::ResumePolicy::Auto;
    if (!job.runDir.empty()) {
        const auto folder = TRY(absolutePath(jobFolder / job.runDir));
        return Place{folder, options.resume || (restores && run::holdsRun({folder}))};
    }
    const fs::path named = options.runsFolder.empty()
                               ? launchedRunsFolder(job.launch.method, jobFolder)
                               : options.runsFolder;
    const auto runs = TRY(absolutePath(named));
    rememberRunsFolder(runs);
    if (options.resume || restores) {
        auto newest = newestResumable(runs, job, base);
        if (newest) return Place{*newest, true};
        // Beginning anew beside a run of this name, unsaid, is what nobody asked for.
        if (options.resume || newest.error().code == ErrorCode::Unavailable)
            return fail(newest.error());
    }
    return freshPlace(runs, job.name);
}

/// So that its user comes back to the run without a question.
void rememberLaunch(const config::JobSpec& job, const fs::path& runDir) {
    const auto plan = launch::planHosts(job);
    if (!plan) return;  // told by the launch
    std::vector<std::string> homes{plan->front().host};
    homes.insert(homes.end(), job.launch.spares.begin(), job.launch.spares.end());
    if (job.launch.leastProcesses > 0)
        for (const launch::HostPlan& host : *plan)
            homes.push_back(host.host);
    for (const std::string& home : homes) {
        RemoteRecord record;
        record.place.host = home;
        record.sshConfig = job.launch.sshConfig;
        std::ignore = trustedRuns().add(runDir, attachEffects(record));  // unknown, it is asked
    }
}

/// Somebody else's folder could name a host, and an ssh configuration that runs commands here.
Result<void> checkAgreed(const fs::path& folder, const RemoteRecord& record,
                         const std::vector<std::string>& agreed) {
    const auto effects = attachEffects(record);
    if (agreed == effects || trustedRuns().contains(folder, effects)) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("{} is not known as a run of this user, and following it {}",
                            folder.string(), fmt::join(effects, " ")),
                "If you trust whoever it came from, attach to it in the window or on a terminal, "
                "where it is asked.");
}

}  // namespace

Result<std::unique_ptr<Session>> launch(const std::string& jobToml, const fs::path& jobFolder,
                                        const LaunchOptions& options) {
    auto document = TRY(config::JobDocument::parse(jobToml, "job.toml"));
    auto job = TRY(document.checked());
    // Of a job without a file, paths are relative to the working directory.
    const auto base = TRY(absolutePath(jobFolder.empty() ? fs::path(".") : jobFolder));
    // The run's own job file must mean the same from any folder.
    config::makePathsAbsolute(job, base.string());
    if (job.launch.runsOwnProgram())
        job.launch.directory = (base / job.launch.directory).lexically_normal().string();
    job.launch.sshConfig = absoluteSshConfig(job, base);
    auto place = TRY(placeOf(job, jobFolder, base, options));
    const fs::path runDir = place.folder;
    job.runDir = runDir.string();
    const bool fromScratch = options.resume && options.fromScratch;
    if (fromScratch) TRY(run::checkUsable({runDir}, true));
    if (job.launch.method == config::LaunchMethod::Ssh) {
        rememberLaunch(job, runDir);
        return launchRemote(job, base, {runDir, place.created, place.resume, fromScratch},
                            options.tied, sshLinks(job.launch.sshConfig, options));
    }
    if (job.launch.method == config::LaunchMethod::Slurm)
        return launchOnSlurm(job, options, place.resume, place.created);

    wire::AgentConfig config;
    config.set_run_id(randomHex(6));
    config.set_run_dir(runDir.string());
    config.set_job_toml(config::resolvedToml(job));
    config.set_job_dir(base.string());
    config.set_worker_program(options.workerProgram.empty()
                                  ? launch::programBesideThis("lockstep-worker").string()
                                  : options.workerProgram.string());
    config.set_tied(options.tied);
    config.set_resume(place.resume && !fromScratch);
    config.set_from_scratch(fromScratch);
    config.set_created_folder(place.created.string());
    for (int id = 0; id < job.cluster.numProcesses; ++id)
        config.add_process_ids(static_cast<std::uint32_t>(id));
    config.set_start_evaluator(job.cluster.evaluator);
    config.set_host_coordinator(true);
    return std::make_unique<FoldingSession>(runDir,
                                            std::make_unique<LaunchSource>(std::move(config)));
}

Result<std::unique_ptr<Session>> attach(const fs::path& runDir, const ConnectOptions& options) {
    std::error_code error;
    const run::RunPaths paths{fs::absolute(runDir, error).lexically_normal()};
    const auto remote = readRemoteRecord(paths.folder);
    if (options.staysHere && mayGoOnUnseen(paths.folder)) return openJournalSession(paths.folder);
    if (remote && !remote->ended) {
        TRY(checkAgreed(paths.folder, *remote, options.agreed));
        return attachRemote(paths.folder, *remote, sshLinks(remote->sshConfig, options));
    }
    if (auto session = attachToSlurm(paths)) return session;
    const bool isRunning = run::isLocked(paths);
    if (!isRunning && !fs::exists(paths.journal(), error))
        return fail(ErrorCode::NotFound, fmt::format("{} holds no run", paths.folder.string()),
                    "Name the folder that a run printed when it began.");
    if (isRunning) {
        if (auto contact = run::readContact(paths))
            return std::make_unique<FoldingSession>(
                paths.folder, std::make_unique<LiveSource>(paths, std::move(*contact)));
    }
    return openJournalSession(paths.folder);
}

}  // namespace lockstep::job
