// SPDX-License-Identifier: Apache-2.0
// lockstepctl run: launches a job and follows it to its end.
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "app/ctl/commands.h"
#include "app/ctl/launch_consent.h"
#include "app/terminal/error_output.h"
#include "app/terminal/follow.h"
#include "app/terminal/job_argument.h"
#include "core/base/absolute_path.h"
#include "core/base/file.h"
#include "core/launch/ssh/terminal_asker.h"

namespace lockstep::app {

namespace {

struct RunArguments {
    JobArgument job;
    bool resume = false;
    bool fromScratch = false;
    bool detach = false;
    std::string json;
};

/// Hours of training must not end with the news that their summary cannot be written.
Result<void> checkWritable(const std::string& file) {
    if (file.empty()) return {};
    const auto place = absolutePath(file);
    if (!place) return failWithin("--json", place.error());
    std::error_code error;
    const auto kind = std::filesystem::status(*place, error).type();
    // What cannot even be looked at (a name that is too long, links in a circle) has no kind.
    std::string why = kind == std::filesystem::file_type::none        ? error.message()
                      : kind == std::filesystem::file_type::directory ? "it is a folder"
                                                                      : "";
    if (why.empty() && ::access((place->parent_path() / ".").c_str(), W_OK | X_OK) != 0)
        why = errnoText();
    if (why.empty()) return {};
    return fail(ErrorCode::BadInput, "--json: " + file + " cannot be written: " + why,
                "Name a file in a folder that is there and that you may write to.");
}

/// A new run begins at step 0 anyway; to take the place of one that is there is for `--resume` to
/// ask for.
Result<void> checkFromScratch(const RunArguments& arguments) {
    if (!arguments.fromScratch || arguments.resume) return {};
    return fail(
        ErrorCode::BadInput,
        "--from-scratch needs --resume: it trains a run that is there again from step 0",
        "Add --resume, and name the run's folder with --run-dir; a new run begins at step 0 "
        "without either.");
}

/// From now on nobody starts its agent again.
int leaveRunning(job::Session& session, const config::LaunchSpec& launch) {
    const int status = followUntilTraining(session);
    const bool goesOn = status == 0 && session.view()->exitStatus < 0;
    if (goesOn && launch.restarts() > 0 && launch.method != config::LaunchMethod::Slurm)
        std::fprintf(stderr,
                     "note: launch.max_restarts covers the death of its processes from now on, not "
                     "that of its agent: who would start that again is this program, without "
                     "--detach\n");
    return status;
}

int run(const RunArguments& arguments) {
    if (auto checked = checkFromScratch(arguments); !checked) return report(checked.error());
    if (auto checked = checkWritable(arguments.json); !checked) return report(checked.error());
    auto job = resolveJob(arguments.job);
    if (!job) return report(job.error());
    if (!consentToLaunch(arguments.job.file, *job)) {
        std::fprintf(stderr, "not launched\n");
        return 3;
    }
    job::LaunchOptions options;
    const auto policy = job->onDisconnect.value_or(config::OnDisconnect::Tied);
    options.tied = !arguments.detach && policy == config::OnDisconnect::Tied;
    options.resume = arguments.resume;
    options.fromScratch = arguments.fromScratch;
    options.asker = launch::terminalAsker();
    auto session = job::launch(job->toml, job->folder, options);
    if (!session) return report(session.error());
    if (arguments.detach) return leaveRunning(**session, job->spec.launch);
    return followToTheEnd(**session, {.onInterrupt = OnInterrupt::StopRun,
                                      .jsonFile = arguments.json,
                                      .programOutput = !job->spec.launch.command.empty()});
}

}  // namespace

Command addRunCommand(CommandLine& program) {
    auto arguments = std::make_shared<RunArguments>();
    ArgumentList command = program.addCommand("run", "launch a job and follow it");
    command.add("job", arguments->job.file, "the job file").required();
    command
        .add("--processes", arguments->job.processes,
             "this many processes on this machine instead of the job's addresses")
        .between(1, 1024);
    command.add("--set", arguments->job.settings,
                "KEY=VALUE of the job file, e.g. training.epochs=1");
    command.add("--run-dir", arguments->job.runDir, "the run's folder");
    command.addFlag("--resume", arguments->resume,
                    "continue from the newest good checkpoint of the run's folder");
    command.addFlag(
        "--from-scratch", arguments->fromScratch,
        "with --resume: train again from step 0 in the run's folder, and put aside what "
        "it holds, in a folder `earlier` within it");
    command.addFlag("--detach", arguments->detach,
                    "leave the job running, whatever launch.on_disconnect says; follow it with "
                    "`lockstepctl attach`");
    command.add("--json", arguments->json, "also write the summary to this file");
    return [arguments] { return run(*arguments); };
}

}  // namespace lockstep::app
