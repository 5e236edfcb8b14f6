// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/monitor/monitor_client.h"

#include <array>
#include <deque>

#include "core/base/try.h"
#include "core/wire/codec.h"
#include "core/wire/socket.h"

namespace lockstep::coordination {

namespace {

using namespace std::chrono_literals;

// Silence after which the monitor asks again where it is: the coordinator answers every Follow,
// so this is also how a lost connection, a lost message or a restarted coordinator is noticed.
constexpr Nanos kFollowAgain = 3s;
constexpr std::size_t kRequests = 16;

}  // namespace

/// The socket, the cursor, and what is still to be said.
class MonitorClient::Link {
public:
    Link(std::unique_ptr<wire::ClientSocket> socket, MonitorOptions options)
        : socket_(std::move(socket)), options_(std::move(options)), offset_(options_.fromOffset) {}

    [[nodiscard]] Result<std::optional<JournalPiece>> poll(Nanos timeout) {
        const Nanos deadline = SteadyClock::read() + timeout;
        for (;;) {
            const Nanos now = SteadyClock::read();
            sendRequests();
            auto piece = receive(now);
            if (!piece || *piece) return piece;
            keepFollowing(now);
            if (now >= deadline) return piece;
            const std::array<wire::Pollable*, 1> sockets{socket_.get()};
            auto waited =
                wire::waitReadable(sockets, nullptr, std::min<Nanos>(deadline - now, 200ms));
            if (!waited) return fail(std::move(waited.error()));
        }
    }

    void queue(wire::FromMonitor message) {
        if (requests_.size() < kRequests) requests_.push_back(std::move(message));
    }

    [[nodiscard]] bool connected() const {
        return heard_ && SteadyClock::read() - lastHeard_ < 2 * kFollowAgain;
    }
    [[nodiscard]] std::uint64_t offset() const { return offset_; }

private:
    [[nodiscard]] bool send(wire::FromMonitor message) {
        message.set_run_id(options_.runId);
        const auto bytes = wire::encode(std::move(message));
        if (!bytes) return true;  // no later attempt could do better
        const auto sent = socket_->trySend(*bytes);
        return sent && *sent == wire::Sent::Yes;
    }

    void keepFollowing(Nanos now) {
        const std::uint64_t connections = socket_->status().connections;
        const bool reconnected = connections != connections_;
        connections_ = connections;
        if (!reconnected && followed_ && now - lastFollow_ < kFollowAgain) return;
        wire::FromMonitor message;
        message.mutable_follow()->set_offset(offset_);
        message.mutable_follow()->set_credit_bytes(options_.creditBytes);
        if (!send(std::move(message))) return;
        followed_ = true;
        lastFollow_ = now;
        consumed_ = 0;
    }

    void sendRequests() {
        while (!requests_.empty() && send(requests_.front()))
            requests_.pop_front();
    }

    [[nodiscard]] Result<std::optional<JournalPiece>> receive(Nanos now) {
        for (;;) {
            auto bytes = socket_->receive();
            if (!bytes) return fail(std::move(bytes.error()));
            if (!*bytes) return refusalOfLink();
            const auto message = TRY(wire::decode<wire::FromCoordinator>(**bytes));
            heard_ = true;
            lastHeard_ = lastFollow_ = now;  // whoever hears something need not ask
            if (message.has_reply() && !message.reply().error().empty())
                return fail(ErrorCode::Unavailable, message.reply().error());
            if (!message.has_journal()) continue;
            const wire::JournalChunk& chunk = message.journal();
            grant(chunk.bytes().size());
            if (auto piece = nextOf(chunk)) return piece;
        }
    }

    /// What is new in the chunk. Two Follows may be answered by chunks that overlap, cut at other
    /// places since the journal grew between them; both begin and end between records.
    [[nodiscard]] std::optional<JournalPiece> nextOf(const wire::JournalChunk& chunk) {
        if (chunk.offset() > offset_) followed_ = false;  // what lies between must be asked for
        const std::uint64_t end = chunk.offset() + chunk.bytes().size();
        const bool isAnswer = chunk.offset() == offset_ && chunk.bytes().empty();  // nothing yet
        const bool isNew = chunk.offset() <= offset_ && end > offset_;
        if (!isNew && !isAnswer) return std::nullopt;
        JournalPiece piece{offset_, chunk.bytes().substr(offset_ - chunk.offset()),
                           chunk.journal_end()};
        offset_ = end;
        return piece;
    }

    /// Nothing to read; why there never will be, when the link is refused.
    [[nodiscard]] Result<std::optional<JournalPiece>> refusalOfLink() {
        const wire::LinkStatus& link = socket_->status();
        if (link.state == wire::LinkState::Refused || link.state == wire::LinkState::WrongServer)
            return fail(ErrorCode::Unavailable, link.sentence);
        return std::nullopt;
    }

    /// Credit goes back in halves of the window: few messages, and the pipe never runs dry.
    void grant(std::uint64_t bytes) {
        consumed_ += bytes;
        if (consumed_ < options_.creditBytes / 2) return;
        wire::FromMonitor message;
        message.mutable_credit()->set_bytes(consumed_);
        if (send(std::move(message))) consumed_ = 0;
    }

    std::unique_ptr<wire::ClientSocket> socket_;
    const MonitorOptions options_;
    std::uint64_t offset_ = 0;
    std::uint64_t consumed_ = 0;
    std::uint64_t connections_ = 0;
    bool followed_ = false;
    bool heard_ = false;
    Nanos lastFollow_{};
    Nanos lastHeard_{};
    std::deque<wire::FromMonitor> requests_;
};

MonitorClient::MonitorClient(std::unique_ptr<Link> link) : link_(std::move(link)) {}
MonitorClient::~MonitorClient() = default;

Result<std::unique_ptr<MonitorClient>> MonitorClient::connect(const wire::Context& context,
                                                              MonitorOptions options) {
    auto socket = wire::ClientSocket::connect(context, options.endpoint, options.serverPublicKey,
                                              options.keys);
    if (!socket) return fail(std::move(socket.error()));
    auto link = std::make_unique<Link>(std::move(*socket), std::move(options));
    return std::unique_ptr<MonitorClient>(new MonitorClient(std::move(link)));
}

Result<std::optional<JournalPiece>> MonitorClient::poll(Nanos timeout) {
    return link_->poll(timeout);
}

void MonitorClient::requestStop() {
    wire::FromMonitor message;
    message.mutable_stop();
    link_->queue(std::move(message));
}

void MonitorClient::requestKill() {
    wire::FromMonitor message;
    message.mutable_kill();
    link_->queue(std::move(message));
}

void MonitorClient::waitLonger() {
    wire::FromMonitor message;
    message.mutable_wait_longer();
    link_->queue(std::move(message));
}

void MonitorClient::requestDrill(const wire::DrillRequest& request) {
    wire::FromMonitor message;
    *message.mutable_drill() = request;
    link_->queue(std::move(message));
}

void MonitorClient::renewLease() {
    wire::FromMonitor message;
    message.mutable_lease();
    link_->queue(std::move(message));
}

bool MonitorClient::connected() const {
    return link_->connected();
}
std::uint64_t MonitorClient::offset() const {
    return link_->offset();
}

}  // namespace lockstep::coordination
