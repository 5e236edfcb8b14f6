// SPDX-License-Identifier: Apache-2.0
#include "core/train/drill/process_faults.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/layout.h"
#include "core/coordination/state/drill_refusals.h"
#include "core/coordination/state/sentences.h"

namespace lockstep::train {

namespace fs = std::filesystem;

namespace {

std::string systemError() {
    return std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): glibc's has a buffer a thread
}

/// Continues this process from within the kernel: none of its own threads can.
Result<::timer_t> continueAfter(double seconds) {
    ::sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGCONT;
    ::timer_t timer{};
    if (::timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return fail(ErrorCode::Unavailable, "no timer to continue by: " + systemError());
    ::itimerspec when{};
    when.it_value.tv_sec = static_cast<std::time_t>(std::floor(seconds));
    when.it_value.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
    if (::timer_settime(timer, 0, &when, nullptr) == 0) return timer;
    const std::string why = systemError();
    ::timer_delete(timer);
    return fail(ErrorCode::Unavailable, "no timer to continue by: " + why);
}

/// Of a TCP connection to somewhere else; 0: it is none.
std::uint16_t peerPort(int socket) {
    int type = 0;
    ::socklen_t size = sizeof type;
    if (::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
        return 0;
    ::sockaddr_storage peer{};
    size = sizeof peer;
    if (::getpeername(socket, reinterpret_cast<::sockaddr*>(&peer), &size) != 0) return 0;
    if (peer.ss_family == AF_INET)
        return ntohs(reinterpret_cast<const ::sockaddr_in*>(&peer)->sin_port);
    if (peer.ss_family == AF_INET6)
        return ntohs(reinterpret_cast<const ::sockaddr_in6*>(&peer)->sin6_port);
    return 0;
}

fs::path largestFile(const fs::path& folder) {
    fs::path largest;
    std::uintmax_t most = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unknown;
        const std::uintmax_t size = entry->file_size(unknown);
        if (unknown || !entry->is_regular_file(unknown) || size <= most) continue;
        most = size;
        largest = entry->path();
    }
    return largest;
}

/// The steps that are committed there, that which a resume takes first.
std::vector<std::int64_t> stepsIn(const fs::path& checkpoints) {
    const auto store =
        checkpoint::CheckpointStore::open(checkpoints, checkpoint::CheckpointStore::Access::Read);
    if (!store) return {};  // there is no folder yet
    const auto steps = store->newestFirst();
    return steps ? *steps : std::vector<std::int64_t>();
}

/// The first name of something that is not committed yet; empty: there is none.
std::string underWayIn(const fs::path& checkpoints) {
    std::error_code error;
    for (fs::directory_iterator entry(checkpoints, error), end; !error && entry != end;
         entry.increment(error))
        if (std::string name = entry->path().filename().string(); checkpoint::isTemporaryName(name))
            return name;
    return {};
}

}  // namespace

void killThisProcess() {
    ::kill(::getpid(), SIGKILL);
    std::abort();
}

Result<Nanos> stopThisProcess(double seconds) {
    ::timer_t timer{};
    if (seconds > 0) timer = TRY(continueAfter(seconds));
    const Nanos before = SteadyClock::read();
    std::raise(SIGSTOP);
    const Nanos stood = SteadyClock::read() - before;
    if (seconds > 0) ::timer_delete(timer);
    return stood;
}

Result<Tear> findTear(const fs::path& checkpoints) {
    const std::vector<std::int64_t> steps = stepsIn(checkpoints);
    if (steps.size() < 2)
        return fail(ErrorCode::NotFound, coordination::refusals::tooFewCheckpoints(
                                             checkpoints.string(), static_cast<int>(steps.size())));
    const std::string name = checkpoint::folderName(steps.front());
    Tear tear{.file = largestFile(checkpoints / name)};
    std::error_code error;
    if (!tear.file.empty()) tear.bytes = fs::file_size(tear.file, error);
    if (tear.file.empty() || error)
        return fail(ErrorCode::NotFound,
                    fmt::format("there is no file in {}", (checkpoints / name).string()));
    return tear;
}

Result<void> waitForCommits(const fs::path& checkpoints, Nanos patience) {
    const Nanos since = SteadyClock::read();
    while (true) {
        const std::string name = underWayIn(checkpoints);
        if (name.empty()) return {};
        if (SteadyClock::read() - since > patience)
            return fail(ErrorCode::Unavailable, fmt::format("{} is still being written after {}",
                                                            (checkpoints / name).string(),
                                                            coordination::secondsText(patience)));
        // a pause: another thread commits, and tells nobody here
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

Result<void> makeTear(const Tear& tear) {
    std::error_code error;
    fs::resize_file(tear.file, tear.bytes / 2, error);
    if (error)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} cannot be cut: {}", tear.file.string(), error.message()));
    return {};
}

Result<int> cutConnections(std::uint16_t coordinatorPort) {
    int cut = 0;
    std::error_code error;
    for (fs::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        int descriptor = -1;
        std::from_chars(name.data(), name.data() + name.size(), descriptor);
        const std::uint16_t port = descriptor < 0 ? 0 : peerPort(descriptor);
        if (port == 0 || port == coordinatorPort) continue;
        if (::shutdown(descriptor, SHUT_RDWR) == 0) ++cut;
    }
    if (cut > 0) return cut;
    return fail(ErrorCode::NotFound, std::string(coordination::refusals::kNothingToCut));
}

Result<void> keepFilesFromGrowing() {
    std::signal(SIGXFSZ, SIG_IGN);  // a write that would grow a file fails instead
    ::rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0) {
        limit.rlim_cur = 0;
        if (::setrlimit(RLIMIT_FSIZE, &limit) == 0) return {};
    }
    return fail(ErrorCode::Unavailable, "files cannot be limited: " + systemError());
}

void allowFilesToGrow() {
    ::rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace lockstep::train
