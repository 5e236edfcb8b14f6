// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/ssh_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/try.h"
#include "core/launch/ssh/bootstrap.h"
#include "core/launch/ssh/host_start.h"
#include "core/launch/ssh/ssh_connection.h"
#include "core/launch/ssh/ssh_forward.h"
#include "core/wire/framed_stream.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::chrono::milliseconds kPushEvery{20};

std::size_t lengthIn(std::string_view header) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        length |= std::size_t{static_cast<unsigned char>(header[i])} << (8 * i);
    return length;
}

std::string framed(const std::string& bytes) {
    std::string frame;
    frame.reserve(kLengthBytes + bytes.size());
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        frame += static_cast<char>((bytes.size() >> (8 * i)) & 0xff);
    return frame += bytes;
}

class SshLink final : public HostLink {
public:
    explicit SshLink(SshConnection connection) : connection_(std::move(connection)) {
        hold();  // frames may have come with the answer of the bootstrap
    }

    const std::string& host() const override { return connection_.host; }
    Result<void> send(const wire::ToHost& message, Nanos timeout) override;
    Result<std::optional<wire::FromHost>> receive(Nanos timeout) override;
    int fd() const override { return ssh().fd(); }
    Result<std::string> forwardSocket(const std::string& socket) override;

private:
    [[nodiscard]] SshProcess& ssh() const { return *connection_.process; }
    [[nodiscard]] Error endError();
    [[nodiscard]] bool hasFrame() const;
    [[nodiscard]] Result<void> push(Nanos deadline);
    [[nodiscard]] Result<void> flush(Nanos deadline);
    void hold() { ssh().holdReadable(hasFrame() || ssh().hasEnded()); }

    SshConnection connection_;
    std::optional<Error> end_;  ///< Told again and again.
    /// What is left of a frame that was begun: it is finished by the next call, since nothing that
    /// follows half a frame would be understood.
    std::string outbox_;
    int forwarded_ = 0;
};

Error SshLink::endError() {
    if (!end_) end_ = connection_.endError(true);
    return *end_;
}

bool SshLink::hasFrame() const {
    const std::string& inbox = ssh().inbox();
    return inbox.size() >= kLengthBytes && (lengthIn(inbox) > wire::kMaxFrameBytes ||
                                            inbox.size() - kLengthBytes >= lengthIn(inbox));
}

Result<void> SshLink::send(const wire::ToHost& message, Nanos timeout) {
    if (end_) return fail(*end_);
    const std::string bytes = message.SerializeAsString();
    if (bytes.size() > wire::kMaxFrameBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("a message of {} bytes to {} is above the limit of {}",
                                bytes.size(), host(), wire::kMaxFrameBytes));
    const Nanos deadline = SteadyClock::read() + timeout;
    auto flushed = flush(deadline);  // what is under way goes first
    if (flushed) {
        outbox_ = framed(bytes);
        const std::size_t size = outbox_.size();
        flushed = flush(deadline);
        const bool isUnderWay = outbox_.size() < size;
        if (!flushed && isUnderWay && flushed.error().code == ErrorCode::Timeout) flushed = {};
        if (!flushed) outbox_.clear();
    }
    hold();
    return flushed;
}

Result<void> SshLink::push(Nanos deadline) {
    std::string_view rest = outbox_;
    auto written = ssh().write(rest, deadline);
    outbox_.erase(0, outbox_.size() - rest.size());
    return written;
}

Result<void> SshLink::flush(Nanos deadline) {
    auto written = push(deadline);
    if (written) return {};
    if (written.error().code == ErrorCode::PeerLost) return fail(endError());
    return failWithin(host() + " takes no messages", std::move(written.error()));
}

Result<std::optional<wire::FromHost>> SshLink::receive(Nanos timeout) {
    const Nanos deadline = SteadyClock::read() + timeout;
    while (!hasFrame() && !ssh().hasEnded() && !end_) {
        const Nanos now = SteadyClock::read();
        if (!outbox_.empty()) std::ignore = push(now);  // its failure is the end, told below
        if (!ssh().take(outbox_.empty() ? deadline : std::min(deadline, now + kPushEvery)) &&
            SteadyClock::read() >= deadline)
            break;
    }
    hold();
    if (!hasFrame()) {
        if (end_ || ssh().hasEnded()) return fail(endError());
        return std::nullopt;
    }
    std::string& inbox = ssh().inbox();
    const std::size_t length = lengthIn(inbox);
    if (length > wire::kMaxFrameBytes)
        return fail(ErrorCode::Corrupt, fmt::format("{} announces a message of {} bytes, the limit "
                                                    "is {}",
                                                    host(), length, wire::kMaxFrameBytes));
    wire::FromHost message;
    const bool parses =
        message.ParseFromArray(inbox.data() + kLengthBytes, static_cast<int>(length));
    inbox.erase(0, kLengthBytes + length);
    hold();
    if (!parses)
        return fail(ErrorCode::Corrupt,
                    fmt::format("a message of {} bytes from {} does not parse", length, host()));
    return message;
}

Result<std::string> SshLink::forwardSocket(const std::string& socket) {
    if (end_) return fail(*end_);
    auto local = forwardUnixSocket(connection_, socket, forwarded_++);
    hold();
    return local;
}

}  // namespace

Result<std::unique_ptr<HostLink>> openSsh(const std::string& destination, const SshOptions& options,
                                          const Say& say, const std::stop_token& cancel) {
    auto bundles = TRY(findBundles(options.bundles));
    auto connection = TRY(startSsh(destination, options, bootstrapCommand(), cancel));
    HostStart host{connection, bundles, options, say, cancel};
    TRY(host.logIn());
    connection.turn.giveBack();
    TRY(host.start());
    return std::make_unique<SshLink>(std::move(connection));
}

}  // namespace lockstep::launch
