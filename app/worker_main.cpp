// SPDX-License-Identifier: Apache-2.0
// lockstep-worker: one process of a job. Started with a job file by a scheduler or by hand, by an
// agent (--member), as the agent of a host (--agent), as what a launcher on another machine speaks
// to (--host), or asked what this machine has (--probe).
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <tuple>

#include "app/print_program.h"
#include "app/probe.h"
#include "app/scheduled_worker.h"
#include "app/self_test/self_test.h"
#include "app/terminal/error_output.h"
#include "core/base/program_start.h"
#include "core/base/runtime_folder.h"
#include "core/base/termination_watch.h"
#include "core/base/thread_stacks.h"
#include "core/launch/agent/agent_program.h"
#include "core/launch/agent/kept_keeper.h"
#include "core/launch/doctor/facts/doctor_requests.h"
#include "core/launch/host/host_service.h"
#include "core/launch/program/user_program.h"
#include "core/train/worker.h"
#include "core/wire/framed_stream.h"

namespace {

using namespace lockstep;

/// Ends this process as the user's program ended, so that whoever waits sees the same.
int endLike(const launch::ExitStatus& status) {
    if (!status.signalled) return status.code;
    const rlimit noCore{0, 0};  // the program has left its own
    std::ignore = ::setrlimit(RLIMIT_CORE, &noCore);
    std::signal(status.code, SIG_DFL);
    std::ignore = ::raise(status.code);
    return 128 + status.code;
}

int runOwnProgram(const wire::WorkerConfig& config) {
    const auto ended = launch::runUserProgram(config, train::buildId());
    return ended ? endLike(*ended) : app::report(ended.error());
}

int runMember() {
    auto config = wire::readMessage<wire::WorkerConfig>(STDIN_FILENO, std::chrono::seconds(30));
    if (!config) return app::report(config.error());
    answerStackSignal();
    if (config->own_program()) return runOwnProgram(*config);
    const auto termination = TerminationWatch::start();
    if (!termination) return app::report(termination.error());
    if (config->role() == wire::ROLE_EVALUATOR) {
        const auto done = train::runEvaluator(*config, termination->get());
        return done ? 0 : app::report(done.error());
    }
    const auto stopped = train::runWorker(*config, termination->get());
    if (!stopped) return app::report(stopped.error());
    return *stopped ? 3 : 0;
}

int runAgent(bool joins) {
    return joins ? launch::runMemberAgent(STDIN_FILENO, STDOUT_FILENO)
                 : launch::runHostingAgent(STDIN_FILENO, STDOUT_FILENO);
}

/// Whoever serves a host answers these requests; each part of the program adds its own.
int serveHost() {
    keepRuntimeFolders();  // a detached run is to be found when no session of its user is left
    launch::HostServiceOptions options;
    std::error_code error;
    options.workerProgram = std::filesystem::read_symlink("/proc/self/exe", error);
    options.build = train::buildId();
    options.requests = launch::doctorRequests(options.workerProgram);
    return launch::runHostService(std::move(options));
}

}  // namespace

int main(int argc, char** argv) {
    prepareProgram();
    app::CommandLine program("lockstep-worker", "lockstep-worker: one process of a training job",
                             LOCKSTEP_VERSION);
    app::ArgumentList options = program.arguments();
    bool agent = false;
    bool join = false;
    bool host = false;
    bool member = false;
    bool probeOnly = false;
    const app::Argument isAgent = options.addFlag(
        "--agent", agent,
        "supervise the workers of this host; the configuration comes on standard input");
    options.addFlag("--join", join, "with --agent: the coordinator is on another host")
        .needing(isAgent);
    options.addFlag("--host", host,
                    "do what a launcher asks over standard input and output: for ssh");
    options.addFlag("--member", member, "train or evaluate as an agent says on standard input");
    options.addFlag("--probe", probeOnly, "print what this machine has, as JSON");
    std::optional<int> keep;
    options.add("--keep", keep,
                "hold the memory of an agent's steps beside it; the number of the socket");
    bool selfTest = false;
    options.addFlag("--self-test", selfTest,
                    "check the GPUs of this machine and what is computed on them");
    app::PrintArguments print;
    app::addPrintOptions(options, print);
    app::ScheduledArguments scheduled;
    app::addScheduledOptions(options, scheduled);
    if (const auto ended = program.parse(argc, argv)) return *ended;
    const bool takesJob = print.isWanted || !scheduled.job.file.empty();
    const int modes = int{agent} + int{host} + int{member} + int{probeOnly} + int{selfTest} +
                      int{takesJob} + int{keep.has_value()};
    if (modes != 1) {
        app::printError(modes == 0
                            ? "there is nothing to do: no job file was given"
                            : "a job file, --agent, --host, --member, --probe and --self-test "
                              "exclude each other",
                        "Start it as: lockstep-worker JOB.toml");
        return 2;
    }
    if (probeOnly) return app::printProbe();
    if (selfTest) return app::runSelfTest();
    if (print.isWanted) return app::printProgram(scheduled.job, print.isTimed);
    if (!scheduled.job.file.empty()) return app::runScheduled(scheduled);
    if (keep) return launch::runKeeper(*keep);
    if (host) return serveHost();
    return agent ? runAgent(join) : runMember();
}
