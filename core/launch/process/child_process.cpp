// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/child_process.h"
#include "core/base/process_start_time.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>

namespace lockstep::launch {

namespace {

struct Pipe {
    UniqueFd readEnd;
    UniqueFd writeEnd;
};

Result<Pipe> makePipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail(ErrorCode::Io, "cannot make a pipe: " + errnoText());
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// What the child has between fork and exec: plain values, prepared before the fork, since only
/// async-signal-safe calls are allowed there.
struct ChildPlan {
    std::vector<char*> argv;
    std::vector<char*> environment;
    const char* folder = nullptr;
    std::vector<int> inheritedFds;
    int input = -1;
    int output = -1;
    int errors = -1;
    int report = -1;
    int niceness = 0;
    bool ownSession = false;
    bool ownGroup = true;
    bool dieWithParent = true;
    bool outputTakesErrors = true;
    pid_t parent = 0;
};

[[noreturn]] void failInChild(int report) {
    const int error = errno;
    std::ignore = ::write(report, &error, sizeof error);
    ::_exit(127);
}

[[noreturn]] void becomeProgram(const ChildPlan& plan) {
    if (plan.ownSession)
        ::setsid();
    else if (plan.ownGroup)
        ::setpgid(0, 0);
    if (plan.dieWithParent) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != plan.parent) ::_exit(127);  // the parent was faster
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int ignored :
         {SIGPIPE, SIGXFSZ, SIGTERM, SIGINT})  // what is ignored stays so after exec
        ::signal(ignored, SIG_DFL);
    if (::dup2(plan.input, STDIN_FILENO) < 0) failInChild(plan.report);
    if (plan.output >= 0) {
        if (::dup2(plan.output, STDOUT_FILENO) < 0) failInChild(plan.report);
        if (plan.outputTakesErrors && ::dup2(plan.output, STDERR_FILENO) < 0)
            failInChild(plan.report);
    }
    if (plan.errors >= 0 && ::dup2(plan.errors, STDERR_FILENO) < 0) failInChild(plan.report);
    // Also those that a library opened without O_CLOEXEC.
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    for (const int fd : plan.inheritedFds)
        ::fcntl(fd, F_SETFD, 0);
    if (plan.niceness != 0) ::setpriority(PRIO_PROCESS, 0, plan.niceness);
    if (plan.folder != nullptr && ::chdir(plan.folder) != 0) failInChild(plan.report);
    ::execve(plan.argv[0], plan.argv.data(), plan.environment.data());
    failInChild(plan.report);
}

/// `settings` and, behind them, those of this process's own whose names they do not have.
std::vector<char*> environmentWith(std::vector<std::string>& settings) {
    std::vector<char*> all;
    for (std::string& setting : settings)
        all.push_back(setting.data());
    for (char** own = environ; *own != nullptr; ++own) {
        const std::string_view text(*own);
        const std::string_view name = text.substr(0, text.find('=') + 1);
        const bool isSet = std::any_of(settings.begin(), settings.end(), [&](const auto& setting) {
            return !name.empty() && std::string_view(setting).starts_with(name);
        });
        if (!isSet) all.push_back(*own);
    }
    all.push_back(nullptr);
    return all;
}

/// The errno that exec failed with, or 0: the report pipe closes by itself on success.
int execError(int reportFd) {
    int error = 0;
    ssize_t got = 0;
    do {
        got = ::read(reportFd, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

bool waitReadable(int fd, Nanos timeout) {
    const Nanos deadline = SteadyClock::read() + timeout;
    for (;;) {
        const auto left = std::max<std::int64_t>(
            0, std::chrono::ceil<Millis>(deadline - SteadyClock::read()).count());
        pollfd entry{fd, POLLIN, 0};
        const int ready =
            ::poll(&entry, 1, static_cast<int>(std::min<std::int64_t>(left, 3'600'000)));
        if (ready > 0) return true;
        if (ready == 0 && SteadyClock::read() >= deadline) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

}  // namespace

std::string ExitStatus::words() const {
    if (!signalled) return fmt::format("exited with status {}", code);
    const char* name = ::sigabbrev_np(code);
    return name != nullptr ? fmt::format("was killed by signal {} (SIG{})", code, name)
                           : fmt::format("was killed by signal {}", code);
}

bool ExitStatus::hasCrashed() const {
    constexpr int kFaults[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    return signalled && std::ranges::count(kFaults, code) > 0;
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const ChildOptions& options) {
    auto input = makePipe();
    auto output = makePipe();
    auto errors = makePipe();
    auto report = makePipe();
    if (!input || !output || !errors || !report)
        return fail(ErrorCode::Io, "cannot make a pipe: " + errnoText());

    std::string program = options.program.string();
    std::vector<std::string> arguments = options.arguments;
    ChildPlan plan;
    plan.argv.push_back(program.data());
    for (std::string& argument : arguments)
        plan.argv.push_back(argument.data());
    plan.argv.push_back(nullptr);
    std::vector<std::string> settings = options.environment;
    plan.environment = environmentWith(settings);
    const std::string folder = options.folder.string();
    if (!folder.empty()) plan.folder = folder.c_str();
    plan.inheritedFds = options.inheritedFds;
    plan.input = input->readEnd.get();
    plan.output = options.captureOutput || options.separateOutput ? output->writeEnd.get() : -1;
    plan.outputTakesErrors = !options.separateOutput;
    plan.errors = options.separateErrors ? errors->writeEnd.get() : -1;
    plan.report = report->writeEnd.get();
    plan.niceness = options.niceness;
    plan.ownSession = options.ownSession;
    plan.ownGroup = options.ownGroup;
    plan.dieWithParent = options.dieWithParent;
    plan.parent = ::getpid();

    const pid_t pid = ::fork();
    if (pid < 0) return fail(ErrorCode::Io, "cannot start a process: " + errnoText());
    if (pid == 0) becomeProgram(plan);

    auto child = std::unique_ptr<ChildProcess>(new ChildProcess);
    child->pid_ = pid;
    child->ownGroup_ = options.ownGroup || options.ownSession;
    if (child->ownGroup_ && !options.ownSession)
        ::setpgid(pid, pid);  // both sides do it: whoever comes first
    child->pidFd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!child->pidFd_.valid()) return child->giveUp(errnoText());
    report->writeEnd.reset();
    if (const int error = execError(report->readEnd.get()); error != 0) {
        std::ignore = child->wait(std::chrono::seconds(5));
        return fail(ErrorCode::NotFound,
                    fmt::format("cannot start {}: {}", program, std::strerror(error)),
                    "Build it with ./dev build, or name it with its full path.");
    }
    child->startTime_ = processStartTime(pid).value_or(0);
    child->input_ = std::move(input->writeEnd);
    if (plan.output >= 0) child->output_ = std::move(output->readEnd);
    if (plan.errors >= 0) child->errors_ = std::move(errors->readEnd);
    return child;
}

/// Without a descriptor of it nobody would ever learn that it has ended.
tl::unexpected<Error> ChildProcess::giveUp(const std::string& why) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR)
        continue;
    released_ = true;
    return fail(ErrorCode::Io, "cannot watch over a process: " + why,
                "Too many files may be open: see ulimit -n.");
}

ChildProcess::~ChildProcess() {
    if (released_ || status_ || pid_ <= 0) return;
    signalGroup(SIGKILL);
    std::ignore = wait(std::chrono::seconds(5));
}

std::optional<ExitStatus> ChildProcess::wait(Nanos timeout) {
    if (status_) return status_;
    if (!waitReadable(pidFd_.get(), timeout)) return std::nullopt;
    // What it started goes with it. Until the process is reaped nobody else can get its number.
    if (ownGroup_) ::kill(-pid_, SIGKILL);
    int raw = 0;
    pid_t got = 0;
    do {
        got = ::waitpid(pid_, &raw, 0);
    } while (got < 0 && errno == EINTR);
    if (got != pid_) return std::nullopt;
    status_ =
        WIFSIGNALED(raw) ? ExitStatus{true, WTERMSIG(raw)} : ExitStatus{false, WEXITSTATUS(raw)};
    return status_;
}

void ChildProcess::signalGroup(int signal) const {
    if (!status_ && pid_ > 0) ::kill(ownGroup_ ? -pid_ : pid_, signal);
}

ExitStatus ChildProcess::terminate(Nanos grace) {
    signalGroup(SIGTERM);
    if (const auto status = wait(grace)) return *status;
    signalGroup(SIGKILL);
    return wait(std::chrono::seconds(5)).value_or(ExitStatus{true, SIGKILL});
}

std::filesystem::path programBesideThis(const std::string& name) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::filesystem::path(name) : self.parent_path() / name;
}

}  // namespace lockstep::launch
