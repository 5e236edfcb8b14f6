// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/run_requests.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>
#include <tuple>

#include "core/base/file.h"
#include "core/base/process_start_time.h"
#include "core/base/try.h"
#include "core/base/user_folders.h"
#include "core/coordination/monitor/monitor_admission.h"
#include "core/coordination/monitor/monitor_key.h"
#include "core/launch/host/host_answer.h"
#include "core/run/agent_process.h"
#include "core/run/agent_registry.h"
#include "core/run/run_folder.h"
#include "core/run/run_id.h"
#include "core/telemetry/journal.h"
#include "core/wire/context.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSmallFileLimit = 1 << 20;
constexpr std::uint32_t kMostBytes = 1 << 20;
constexpr std::chrono::seconds kAdmissionTimeout{5};
constexpr std::chrono::seconds kKillTimeout{5};

tl::unexpected<Error> noSuchRun(const std::string& runId, const std::string& runDir) {
    return fail(ErrorCode::NotFound,
                fmt::format("there is no run {} here", runDir.empty() ? runId : runDir));
}

/// The run's folder, by name or by the id of a run that an agent of this host hosts.
Result<fs::path> folderOf(const std::string& runDir, const std::string& runId) {
    std::error_code error;
    if (fs::path(runDir).is_absolute() && fs::is_directory(runDir, error)) return fs::path(runDir);
    for (const run::AgentRecord& agent : run::registeredAgents())
        if (!runId.empty() && agent.runId == runId && agent.hostsCoordinator) return agent.runDir;
    return noSuchRun(runId, runDir);
}

/// Of a run that is locked but not (any more) to be reached: its end, or its beginning.
tl::unexpected<Error> inBetween(const fs::path& folder) {
    return fail(ErrorCode::Unavailable,
                fmt::format("the run in {} is just beginning or ending", folder.string()));
}

/// How the monitor of this host's user reaches the run.
Result<coordination::MonitorOptions> monitorOf(const run::Contact& contact) {
    auto key = TRY(coordination::readMonitorKey(contact.keyFile));
    coordination::MonitorOptions options;
    options.endpoint = contact.endpoint;
    options.runId = contact.runId;
    options.serverPublicKey = std::move(key.serverPublicKey);
    options.keys = std::move(key.keys);
    return options;
}

void nameAgent(wire::Attached& attached) {
    for (const run::AgentRecord& agent : run::registeredAgents()) {
        if (agent.runId != attached.run_id() || !agent.hostsCoordinator) continue;
        const run::ProcessEntry& process = agent.processes.front();
        if (process.role != "agent") continue;
        attached.set_agent_pid(process.pid);
        attached.set_agent_start_time(process.startTime);
    }
}

wire::FromHost refusalOf(const run::AgentProcess& stopped, wire::Attached attached) {
    wire::FromHost refusal = errorAnswer(
        {ErrorCode::Unavailable, run::stoppedSentence(stopped), run::stoppedRemedy(stopped)});
    nameAgent(attached);
    *refusal.mutable_error()->mutable_stopped() = std::move(attached);
    return refusal;
}

Result<wire::FromHost> attachRun(const wire::ToHost& request, const std::stop_token&) {
    const wire::AttachRun& attach = request.attach();
    auto folder = TRY(folderOf(attach.run_dir(), attach.run_id()));
    const run::RunPaths paths{folder};
    wire::FromHost answer;
    wire::Attached& attached = *answer.mutable_attached();
    attached.set_run_dir(folder.string());
    attached.set_run_id(run::readRunId(paths));
    if (!attach.run_id().empty() && attached.run_id() != attach.run_id())
        return noSuchRun(attach.run_id(), attach.run_dir());
    if (!run::isLocked(paths)) return answer;  // without a socket: the run has ended
    if (const auto agent = run::agentProcess(paths); agent && agent->isStopped)
        return refusalOf(*agent, std::move(attached));
    auto contact = run::readContact(paths);
    auto monitor = contact ? monitorOf(*contact) : fail(contact.error());
    if (!monitor && !run::isLocked(paths)) return answer;
    if (!monitor && monitor.error().code == ErrorCode::NotFound) return inBetween(folder);
    if (!monitor) return fail(monitor.error());
    auto context = TRY(wire::Context::make());
    TRY(coordination::admitMonitor(context, *monitor, attach.monitor_public(), kAdmissionTimeout));
    attached.set_monitor_endpoint(contact->endpoint);
    attached.set_journal_start(contact->journalStart);
    attached.set_server_public(monitor->serverPublicKey);
    nameAgent(attached);
    return answer;
}

Result<wire::FromHost> seeFolder(const wire::ToHost& request, const std::stop_token&) {
    const wire::SeeFolder& see = request.see_folder();
    const fs::path folder = see.folder();
    if (!folder.is_absolute() || !run::isRunId(see.token()))
        return fail(ErrorCode::BadInput, "a folder is asked for by its full path and a token");
    const fs::path file = folder / (".seen-" + see.token());
    std::error_code error;
    if (see.create()) {
        fs::create_directories(folder, error);
        if (error)
            return fail(ErrorCode::BadInput,
                        fmt::format("cannot make {}: {}", folder.string(), error.message()),
                        "Name a folder you may write to on that host with --run-dir.");
        TRY(replaceFileDurably(file, ""));
    }
    wire::FromHost answer;
    {  // Looking into the folder makes a network file system ask its server for new names.
        const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_CLOEXEC));
    }
    answer.mutable_folder_seen()->set_seen(fs::exists(file, error));
    if (see.remove()) fs::remove(file, error);
    return answer;
}

Result<wire::FromHost> readRunFile(const wire::ToHost& request, const std::stop_token&) {
    const wire::ReadRunFile& read = request.read_run_file();
    auto folder = TRY(folderOf(read.run_dir(), read.run_id()));
    const run::RunPaths paths{folder};
    wire::FromHost answer;
    wire::RunFileBytes& file = *answer.mutable_run_file();
    if (read.name() == "journal") {
        auto reader = TRY(telemetry::JournalReader::open(paths.journal()));
        auto size = reader.size();
        auto bytes = reader.read(read.offset(), std::min(read.max_bytes(), kMostBytes));
        if (!size) return fail(size.error());
        if (!bytes) return fail(bytes.error());
        file.set_size(*size);
        file.set_bytes(std::move(*bytes));
        return answer;
    }
    if (read.name() != "summary.json" && read.name() != "job.toml")
        return fail(ErrorCode::BadInput, fmt::format("'{}' is no file of a run", read.name()));
    auto bytes = TRY(readFile(paths.folder / read.name(), kSmallFileLimit));
    file.set_size(bytes.size());
    file.set_bytes(std::move(bytes));
    return answer;
}

wire::Role roleOf(const std::string& word) {
    if (word == "agent") return wire::ROLE_AGENT;
    return word == "evaluator" ? wire::ROLE_EVALUATOR : wire::ROLE_WORKER;
}

Result<wire::FromHost> listRuns(const wire::ToHost&, const std::stop_token&) {
    wire::FromHost answer;
    wire::HostRuns& runs = *answer.mutable_runs();
    for (const run::AgentRecord& agent : run::registeredAgents()) {
        wire::HostRun& run = *runs.add_runs();
        run.set_run_id(agent.runId);
        run.set_run_dir(agent.runDir);
        run.set_name(agent.name);
        run.set_hosts_coordinator(agent.hostsCoordinator);
        for (const run::ProcessEntry& entry : agent.processes) {
            wire::HostProcess& process = *run.add_processes();
            process.set_role(roleOf(entry.role));
            process.set_process_id(static_cast<std::uint32_t>(entry.processId));
            process.set_pid(entry.pid);
            process.set_start_time(entry.startTime);
        }
    }
    return answer;
}

/// Between the look and the signal the number cannot become another process's: the descriptor
/// stands for the one that was looked at.
Result<void> signalExactly(pid_t pid, std::uint64_t startTime, int signal) {
    const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!process.valid() || processStartTime(pid) != startTime)
        return fail(ErrorCode::NotFound, fmt::format("process {} has ended already", pid));
    if (::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) != 0)
        return fail(ErrorCode::Io, fmt::format("cannot end process {}: {}", pid, errnoText()));
    return {};
}

Result<wire::FromHost> endProcess(const wire::ToHost& request, const std::stop_token&) {
    const wire::EndProcess& end = request.end_process();
    const auto pid = static_cast<pid_t>(end.pid());
    const auto agents = run::registeredAgents();
    const bool listed = std::ranges::any_of(agents, [&](const run::AgentRecord& agent) {
        return std::ranges::any_of(agent.processes, [&](const run::ProcessEntry& entry) {
            return entry.pid == pid && entry.startTime == end.start_time();
        });
    });
    if (!listed)
        return fail(ErrorCode::BadInput,
                    fmt::format("process {} belongs to no run of this user here", pid));
    TRY(signalExactly(pid, end.start_time(), end.kill() ? SIGKILL : SIGTERM));
    wire::FromHost answer;
    answer.mutable_done();
    return answer;
}

/// Its own process, as the run's folder names it: it may be unable to hear anybody.
Result<wire::FromHost> killAgent(const wire::ToHost& request, const std::stop_token& stop) {
    const wire::KillAgent& kill = request.kill_agent();
    const run::RunPaths paths{TRY(folderOf(kill.run_dir(), kill.run_id()))};
    // Asked once more it may be gone by what was asked before.
    if (run::readRunId(paths) != kill.run_id() ||
        (!run::killAgent(paths) && !run::wasEndedByForce(paths)))
        return noSuchRun(kill.run_id(), kill.run_dir());
    const Nanos deadline = SteadyClock::read() + kKillTimeout;
    while (run::isLocked(paths) && !stop.stop_requested() && SteadyClock::read() < deadline)
        std::this_thread::sleep_for(Millis(20));
    if (run::isLocked(paths) && run::readRunId(paths) == kill.run_id())
        return fail(ErrorCode::Timeout,
                    "the run's agent was killed and has not ended yet: it may be waiting for a "
                    "disk or a device");
    wire::FromHost answer;
    answer.mutable_done();
    return answer;
}

}  // namespace

void addRunRequests(HostRequests& requests) {
    requests[wire::ToHost::kAttach] = attachRun;
    requests[wire::ToHost::kSeeFolder] = seeFolder;
    requests[wire::ToHost::kReadRunFile] = readRunFile;
    requests[wire::ToHost::kListRuns] = listRuns;
    requests[wire::ToHost::kEndProcess] = endProcess;
    requests[wire::ToHost::kKillAgent] = killAgent;
}

fs::path privateRunsFolder() {
    const fs::path state = stateFolder();
    return state.empty() ? fs::path("/tmp") / fmt::format("lockstep-runs-{}", ::geteuid())
                         : state / "runs";
}

}  // namespace lockstep::launch
