// SPDX-License-Identifier: Apache-2.0
#include "core/launch/slurm/slurm_command.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/base/text.h"
#include "core/base/try.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostText = 64 << 10;

std::optional<fs::path> onPath(const std::string& program) {
    const char* value = std::getenv("PATH");
    std::string_view rest = value == nullptr ? "/usr/bin:/bin" : value;
    for (bool more = true; more;) {
        const std::size_t colon = rest.find(':');
        more = colon != std::string_view::npos;
        fs::path file = fs::path(rest.substr(0, colon)) / program;
        if (file.is_absolute() && ::access(file.c_str(), X_OK) == 0) return file;
        if (more) rest.remove_prefix(colon + 1);
    }
    return std::nullopt;
}

}  // namespace

std::string SlurmAnswer::words() const {
    std::string line;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view part(text.data() + begin, end - begin);
        for (const std::string_view prefix :
             {"sbatch: ", "scontrol: ", "scancel: ", "sacct: ", "srun: ", "error: "})
            if (part.starts_with(prefix)) part.remove_prefix(prefix.size());
        if (!part.empty()) line += (line.empty() ? "" : "; ") + std::string(part);
        begin = end + 1;
    }
    return sanitizeLine(line, 400);
}

Result<SlurmCommand> SlurmCommand::start(const std::string& program,
                                         const std::vector<std::string>& arguments,
                                         Nanos timeLimit) {
    const auto file = onPath(program);
    if (!file)
        return fail(ErrorCode::NotFound,
                    fmt::format("launch.method is \"slurm\", but {} is not on the PATH of this "
                                "machine",
                                program),
                    "Launch on a machine that submits to Slurm (a login node), or choose another "
                    "launch.method.");
    ChildOptions options;
    options.program = *file;
    options.arguments = arguments;
    auto process = TRY(ChildProcess::start(options));
    process->closeInput();
    return SlurmCommand(program, std::move(process), SteadyClock::read() + timeLimit);
}

/// False once there is nothing more to read.
bool SlurmCommand::readMore(Nanos timeout) {
    pollfd entry{process_->outputFd(), POLLIN, 0};
    const auto wait = std::chrono::ceil<Millis>(std::max(timeout, Nanos{0})).count();
    if (::poll(&entry, 1, static_cast<int>(wait)) <= 0) return true;
    std::array<char, 4096> piece{};
    const ssize_t got = ::read(entry.fd, piece.data(), piece.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    const std::size_t room = kMostText - std::min(kMostText, text_.size());
    text_.append(piece.data(), std::min(room, static_cast<std::size_t>(got)));
    return true;
}

std::optional<Result<SlurmAnswer>> SlurmCommand::poll(Nanos timeout) {
    const Nanos until = std::min(SteadyClock::read() + timeout, deadline_);
    for (;;) {
        const Nanos left = until - SteadyClock::read();
        if (!isDrained_) isDrained_ = !readMore(left);
        if (isDrained_) {
            if (const auto status = process_->wait(std::max(left, Nanos{0})))
                return SlurmAnswer{status->signalled ? 128 + status->code : status->code, text_};
        }
        const Nanos now = SteadyClock::read();
        if (now >= deadline_)
            return fail(ErrorCode::Timeout, fmt::format("{} has not answered in time", name_),
                        "See whether Slurm is up: scontrol ping.");
        if (now >= until) return std::nullopt;
    }
}

Result<SlurmAnswer> SlurmCommand::wait() {
    for (;;)
        if (auto answer = poll(std::chrono::seconds(1))) return std::move(*answer);
}

}  // namespace lockstep::launch
