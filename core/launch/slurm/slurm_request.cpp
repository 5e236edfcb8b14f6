// SPDX-License-Identifier: Apache-2.0
#include "core/launch/slurm/slurm_request.h"

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/text/json_fields.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSubmissionLimit = 4096;

tl::unexpected<Error> cannotWrite(const fs::path& folder, const std::string& reason) {
    return fail(ErrorCode::BadInput,
                fmt::format("the run folder {} cannot be written: {}", folder.string(), reason),
                "Name a folder you may write to, and that all nodes see, with --run-dir or "
                "job.run_dir.");
}

}  // namespace

int taskCount(const config::JobSpec& job) {
    return job.cluster.numProcesses + (job.cluster.evaluator ? 1 : 0);
}

std::string startScript() {
    return R"(#!/bin/sh
# Written by Lockstep. Starts one process of the job in each task of this allocation.
# Arguments: the file for the output ("": Slurm's), whether the last task is the evaluator (1 or 0),
# then srun's.
[ -z "$1" ] || exec >>"$1" 2>&1
unset LOCKSTEP_SLURM_EVALUATOR
[ "$2" = 0 ] || export LOCKSTEP_SLURM_EVALUATOR=1
shift 2
exec srun "$@"
)";
}

std::vector<std::string> scriptArguments(const SlurmRequest& request, bool ownOutput) {
    const SlurmPlaces places{request.job.runDir};
    std::vector<std::string> arguments{
        ownOutput ? places.output().string() : "",
        request.job.cluster.evaluator ? "1" : "0",
        fmt::format("--ntasks={}", taskCount(request.job)),
        // The job itself decides what becomes of the others when one process fails.
        "--kill-on-bad-exit=0",
        "--input=none",
        "--quit-on-interrupt",
    };
    if (ownOutput && request.job.slurm.nodes > 0)
        arguments.push_back(fmt::format("--nodes={}", request.job.slurm.nodes));
    arguments.insert(arguments.end(), {request.workerProgram.string(), places.job().string()});
    return arguments;
}

std::vector<std::string> sbatchArguments(const SlurmRequest& request) {
    const config::SlurmSpec& slurm = request.job.slurm;
    const SlurmPlaces places{request.job.runDir};
    const bool startsAgain = request.job.checkpoint.resume == config::ResumePolicy::Auto;
    std::vector<std::string> arguments{
        "--parsable",
        "--job-name=" + request.job.name,
        fmt::format("--ntasks={}", taskCount(request.job)),
        "--chdir=" + request.job.runDir,
        "--output=" + places.output().string(),
        "--open-mode=append",
        fmt::format("--signal=TERM@{}", slurm.stopBeforeLimitSeconds),
        startsAgain ? "--requeue" : "--no-requeue",
    };
    if (!slurm.partition.empty()) arguments.push_back("--partition=" + slurm.partition);
    if (!slurm.account.empty()) arguments.push_back("--account=" + slurm.account);
    if (slurm.nodes > 0) arguments.push_back(fmt::format("--nodes={}", slurm.nodes));
    if (!slurm.timeLimit.empty()) arguments.push_back("--time=" + slurm.timeLimit);
    arguments.insert(arguments.end(), slurm.options.begin(), slurm.options.end());
    arguments.push_back(places.script().string());
    for (std::string& argument : scriptArguments(request, false))
        arguments.push_back(std::move(argument));
    return arguments;
}

std::string taskJobToml(const SlurmRequest& request) {
    config::JobSpec job = request.job;
    // Slurm decides where the processes are; the tasks find each other by what it tells them.
    job.cluster.jobAddresses = {config::Address{"127.0.0.1", 0}};
    job.cluster.evaluatorAddress.reset();
    job.launch.hosts.clear();
    job.launch.spares.clear();
    if (request.resume) job.checkpoint.resume = config::ResumePolicy::Auto;
    return config::resolvedToml(job);
}

Result<void> writeSlurmFolder(const SlurmRequest& request) {
    const SlurmPlaces places{request.job.runDir};
    if (request.job.runDir.find_first_of("%\\") != std::string::npos)
        return fail(ErrorCode::BadInput,
                    fmt::format("the run folder is {}, but in names of files \"%\" and \"\\\" mean "
                                "something else to Slurm",
                                request.job.runDir),
                    "Name another folder with --run-dir or job.run_dir.");
    std::error_code error;
    fs::create_directories(places.folder(), error);
    fs::remove(places.submission(), error);  // of an earlier start
    if (error) return cannotWrite(places.runFolder, error.message());
    auto written = replaceFileDurably(places.script(), startScript(), 0755);
    if (written) written = replaceFileDurably(places.job(), taskJobToml(request));
    if (written) written = replaceFileDurably(places.output(), "");
    if (!written) return cannotWrite(places.runFolder, written.error().message);
    return {};
}

Result<void> writeSubmission(const SlurmPlaces& places, const Submission& submission) {
    const auto value = text::Json::object(
        {{"slurm_job_id", submission.jobId}, {"journal_end", submission.journalEnd}});
    return replaceFileDurably(places.submission(), value.text(2) + "\n");
}

Result<Submission> readSubmission(const SlurmPlaces& places) {
    const std::string text = TRY(readFile(places.submission(), kSubmissionLimit));
    const text::Json value = text::parseJson(text).value_or(text::Json());
    Submission submission;
    text::JsonFields fields(value);
    fields.read("slurm_job_id", submission.jobId);
    fields.read("journal_end", submission.journalEnd);
    if (!fields.checked() || submission.jobId <= 0)
        return fail(ErrorCode::Corrupt,
                    places.submission().string() + " is not what a launch writes");
    return submission;
}

}  // namespace lockstep::launch
