// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/host_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <span>

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/runtime_folder.h"
#include "core/base/try.h"
#include "core/coordination/state/process_key.h"
#include "core/coordination/state/sentences.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {

constexpr int kEvaluatorNiceness = 10;  // it must not slow the training down
constexpr std::chrono::seconds kConfigTimeout{10};
constexpr std::chrono::seconds kHoldInterval{1};

std::string roleWord(wire::Role role) {
    return role == wire::ROLE_EVALUATOR ? "evaluator" : "worker";
}

}  // namespace

HostProcesses::~HostProcesses() {
    entries_.clear();  // whoever still runs is killed
    std::error_code ignored;
    for (const std::filesystem::path& folder : reportFolders_)
        std::filesystem::remove_all(folder, ignored);
}

Result<void> HostProcesses::start(const wire::WorkerConfig& config) {
    const wire::Role role = config.role();
    const std::uint32_t processId = config.process_id();
    auto log = OutputLog::open(paths_.logs() / logFileName(role == wire::ROLE_EVALUATOR, processId),
                               {}, [this, role, processId](const OutputLog::Line& line) {
                                   wire::LogLine record;
                                   record.set_process_id(processId);
                                   record.set_role(role);
                                   record.set_level(static_cast<std::uint32_t>(line.level));
                                   record.set_text(line.text);
                                   record.set_unfinished(line.unfinished);
                                   callbacks_.onLine(record);
                               });
    if (!log) return fail(log.error());
    ChildOptions options;
    options.program = workerProgram_;
    options.arguments = {"--member"};
    if (config.segment_fd() >= 0) options.inheritedFds = {config.segment_fd()};
    if (config.kept_fd() > 0) options.inheritedFds.push_back(config.kept_fd());
    options.niceness = role == wire::ROLE_EVALUATOR ? kEvaluatorNiceness : 0;
    auto process = TRY(ChildProcess::start(options));
    ::fcntl(process->outputFd(), F_SETFL, O_NONBLOCK);
    wire::WorkerConfig complete = config;
    if (config.own_program()) {
        auto folder = TRY(makeRuntimeFolder("program-" + randomHex(6)));
        reportFolders_.push_back(folder);
        complete.set_report_folder(folder.string());
    }
    // PeerLost: it has ended already. Its exit, with its last words, says more than this would.
    auto sent = wire::writeMessage(process->inputFd(), complete, kConfigTimeout);
    if (!sent && sent.error().code != ErrorCode::PeerLost)
        return failWithin(fmt::format("handing {} {} its configuration", roleWord(role), processId),
                          sent.error());
    process->closeInput();
    const pid_t pid = process->pid();
    oomKills_.watch(pid);
    entries_.push_back(
        std::make_unique<Entry>(Entry{role, processId, config.own_program(), std::move(process),
                                      std::move(*log), HoldWatch(pid), ThreadWatch(pid)}));
    return {};
}

bool HostProcesses::poll(Nanos timeout, int wakeFd) {
    std::vector<pollfd> watched{{wakeFd, POLLIN, 0}};
    std::vector<Entry*> owners{nullptr};
    for (const auto& entry : entries_) {
        if (entry->outputOpen) {
            watched.push_back({entry->process->outputFd(), POLLIN, 0});
            owners.push_back(entry.get());
        }
        if (!entry->ended) {
            watched.push_back({entry->process->pidFd(), POLLIN, 0});
            owners.push_back(entry.get());
        }
    }
    const auto milliseconds = std::chrono::ceil<Millis>(timeout).count();
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(milliseconds));
    const Nanos now = SteadyClock::read();
    oomKills_.look(now);
    lookAtHolds(now);
    for (const auto& entry : entries_)
        if (!entry->ended) entry->log.tick(now);
    if (ready <= 0) return false;
    for (std::size_t i = 1; i < watched.size(); ++i) {
        if (watched[i].revents == 0) continue;
        if (watched[i].fd == owners[i]->process->pidFd())
            reap(*owners[i]);
        else
            readOutput(*owners[i]);
    }
    return watched[0].revents != 0;
}

void HostProcesses::lookAtHolds(Nanos now) {
    if (now < nextLookAtHolds_) return;
    nextLookAtHolds_ = now + kHoldInterval;
    for (const auto& entry : entries_) {
        if (entry->ended) continue;
        const wire::Hold hold = entry->holdWatch.look(now);
        if (hold != entry->hold) tellHold(*entry, hold);
        if (hold == wire::HOLD_NONE) tellThreads(*entry, now);
        const bool isLost = mostStopped_ > Nanos{} && entry->holdWatch.stoppedFor() > mostStopped_;
        if (isLost && !entry->killedAfter) endStopped(*entry);
    }
}

void HostProcesses::tellHold(Entry& entry, wire::Hold hold) {
    entry.hold = hold;
    wire::ProcessHeld held;
    held.set_process_id(entry.processId);
    held.set_role(entry.role);
    held.set_hold(hold);
    if (callbacks_.onHeld) callbacks_.onHeld(held);
}

/// Of a process that is held as a whole that is said, and nothing of its threads.
void HostProcesses::tellThreads(Entry& entry, Nanos now) {
    for (const ThreadNews& news : entry.threadWatch.look(now)) {
        wire::Notice notice;
        notice.set_role(entry.role);
        notice.set_process_id(entry.processId);
        notice.set_sentence(
            threadSentence(news, coordination::nameOf({entry.role, entry.processId}, hostName())));
        if (callbacks_.onNotice) callbacks_.onNotice(notice);
    }
}

/// It is lost for the job, and would keep its memory and its GPU until the job ends.
void HostProcesses::endStopped(Entry& entry) const {
    entry.killedAfter = entry.holdWatch.stoppedFor();
    wire::LogLine line;
    line.set_process_id(entry.processId);
    line.set_role(entry.role);
    line.set_level(static_cast<std::uint32_t>(LineLevel::Warning));
    line.set_text(fmt::format("stopped for {}: its agent kills it",
                              coordination::secondsText(*entry.killedAfter)));
    callbacks_.onLine(line);
    entry.process->signalGroup(SIGKILL);
}

void HostProcesses::readOutput(Entry& entry) {
    std::array<char, 16384> buffer;
    for (int rounds = 0; rounds < 16; ++rounds) {  // a flood of one must not starve the others
        const ssize_t got = ::read(entry.process->outputFd(), buffer.data(), buffer.size());
        if (got > 0) {
            entry.log.feed({buffer.data(), static_cast<std::size_t>(got)}, SteadyClock::read());
            continue;
        }
        if (got < 0 && errno == EINTR) continue;
        if (got == 0 || errno != EAGAIN) entry.outputOpen = false;
        return;
    }
}

void HostProcesses::reap(Entry& entry) {
    const auto status = entry.process->wait(Nanos{0});
    if (!status) return;
    entry.ended = true;
    readOutput(entry);  // its last words say why
    entry.log.finish(SteadyClock::read());
    wire::ProcessExit exit;
    exit.set_process_id(entry.processId);
    exit.set_role(entry.role);
    exit.set_signalled(status->signalled);
    exit.set_status(status->code);
    const bool isOurs = entry.killedAfter || entry.isToldToEnd;
    if (status->signalled && status->code == SIGKILL && !isOurs)
        exit.set_out_of_memory(oomKills_.explainsOne(entry.process->pid()));
    const ErrorFinder& errors = entry.log.errorsOfAnyProgram();
    exit.set_last_error(entry.killedAfter
                            ? fmt::format("it was stopped for {}, and its agent killed it",
                                          coordination::secondsText(*entry.killedAfter))
                        : !entry.ownProgram ? entry.log.lastError()
                        : status->signalled ? errors.named()
                                            : errors.cause());
    exit.set_own_program(entry.ownProgram);
    callbacks_.onExit(exit);
}

void HostProcesses::waitEnds(Nanos patience) {
    const Nanos deadline = SteadyClock::read() + patience;
    while (anyRunning() && SteadyClock::read() < deadline)
        poll(Millis(20), -1);
}

void HostProcesses::terminate(Nanos patience, Nanos grace) {
    waitEnds(patience);
    for (const auto& entry : entries_) {
        if (entry->ended) continue;
        entry->isToldToEnd = true;
        // To ours a SIGTERM means that the job is to stop in order: it has ended.
        entry->process->signalGroup(entry->ownProgram ? SIGTERM : SIGKILL);
        entry->process->signalGroup(SIGCONT);  // a stopped one takes signals only when it goes on
    }
    waitEnds(grace);
    for (const auto& entry : entries_)
        if (!entry->ended) entry->process->signalGroup(SIGKILL);
    waitEnds(std::chrono::seconds(5));
}

bool HostProcesses::anyRunning() const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [](const auto& entry) { return !entry->ended; });
}

std::vector<run::ProcessEntry> HostProcesses::entries() const {
    std::vector<run::ProcessEntry> list;
    for (const auto& entry : entries_) {
        if (entry->ended) continue;
        list.push_back({roleWord(entry->role), static_cast<int>(entry->processId), hostName(),
                        entry->process->pid(), entry->process->startTime()});
    }
    return list;
}

}  // namespace lockstep::launch
