// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/job_secret.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/try.h"
#include "core/text/plain_text.h"

namespace lockstep::distribution {

namespace {

constexpr std::size_t kLeastCharacters = 32;
constexpr std::size_t kMostBytes = 4096;
constexpr std::chrono::seconds kReadTimeout{30};
constexpr mode_t kOfOthers = S_IRWXG | S_IRWXO;
constexpr const char* kHowToMakeOne =
    "Make one with: (umask 077; head -c 32 /dev/urandom | base64 > FILE), and give every host the "
    "same.";

/// All that comes until its end; a pipe that nobody closes is given up. A file from its beginning,
/// wherever another process that has inherited it may have read to.
Result<std::string> readAll(int fd, const std::string& name) {
    struct stat facts {};
    const bool isFile = ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
    const Nanos deadline = SteadyClock::read() + Nanos(kReadTimeout);
    std::string text;
    for (;;) {
        const auto left = std::chrono::duration_cast<Millis>(deadline - SteadyClock::read());
        pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
        const int ready =
            left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0)
            return fail(
                ErrorCode::BadInput,
                fmt::format("{} gave no whole secret within {} s", name, kReadTimeout.count()),
                "Whoever writes into it must close it.");
        std::array<char, 512> bytes{};
        const ssize_t got =
            ready < 0 ? -1
            : isFile  ? ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(text.size()))
                      : ::read(fd, bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return fail(ErrorCode::BadInput,
                        fmt::format("{} cannot be read: {}", name, errnoText()));
        if (got == 0) return text;
        text.append(bytes.data(), static_cast<std::size_t>(got));
        if (text.size() > kMostBytes)
            return fail(ErrorCode::BadInput,
                        fmt::format("{} holds more than {} bytes: no secret", name, kMostBytes));
    }
}

Result<std::string> checked(const std::string& text, const std::string& name) {
    const std::string_view secret = config::trimmed(text);
    if (secret.size() >= kLeastCharacters) return std::string(secret);
    return fail(ErrorCode::BadInput,
                fmt::format("{} holds {} characters: a secret has at least {}, which nobody can "
                            "guess",
                            name, secret.size(), kLeastCharacters),
                kHowToMakeOne);
}

/// Who else could read it could join the job.
Result<void> checkPrivate(int fd, const std::string& name) {
    struct stat facts {};
    if (::fstat(fd, &facts) != 0)
        return fail(ErrorCode::BadInput, fmt::format("{} cannot be read: {}", name, errnoText()));
    if (!S_ISREG(facts.st_mode))
        return fail(ErrorCode::BadInput, name + " is not a regular file", kHowToMakeOne);
    if (facts.st_uid != ::geteuid() && facts.st_uid != 0)
        return fail(ErrorCode::BadInput, name + " belongs to another user", kHowToMakeOne);
    if ((facts.st_mode & kOfOthers) == 0) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("{} may be used by others (its mode is {:04o}): whoever reads it can "
                            "join the job",
                            name, facts.st_mode & 07777),
                "Say chmod 600, and make a new secret if others may have read it.");
}

Result<std::string> fromFile(const std::filesystem::path& path, const std::string& origin) {
    const std::string name = fmt::format("the secret file {} ({})", path.string(), origin);
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.valid())
        return fail(ErrorCode::BadInput, fmt::format("{} cannot be read: {}", name, errnoText()),
                    kHowToMakeOne);
    TRY(checkPrivate(fd.get(), name));
    const auto text = TRY(readAll(fd.get(), name));
    return checked(text, name);
}

}  // namespace

Result<std::optional<std::string>> readJobSecret(const InitializeOptions& options,
                                                 const Environment& environment) {
    const int ways = int{options.secretFd.has_value()} + int{!options.secretFile.empty()} +
                     int{!options.keyFile.empty()} + int{options.insecure};
    if (ways > 1)
        return fail(ErrorCode::BadInput,
                    "secretFd, secretFile, keyFile and insecure are four ways to meet: give one");
    if (options.secretFd) {
        const std::string name = fmt::format("file descriptor {} (secretFd)", *options.secretFd);
        const auto text = TRY(readAll(*options.secretFd, name));
        return std::optional(TRY(checked(text, name)));
    }
    if (!options.secretFile.empty())
        return std::optional(TRY(fromFile(options.secretFile, "secretFile")));
    const auto variable = environment.get(kSecretFileVariable);
    if (!variable || ways > 0) return std::optional<std::string>();
    return std::optional(TRY(fromFile(std::string(*variable), kSecretFileVariable)));
}

}  // namespace lockstep::distribution
