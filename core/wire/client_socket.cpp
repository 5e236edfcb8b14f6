// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <tuple>

#include "core/wire/socket_options.h"

namespace lockstep::wire {

namespace {

/// Handshakes that fail in a row before the server counts as the wrong one: a server that is just
/// being restarted may spoil one or two.
constexpr int kFailuresOfAWrongServer = 3;
constexpr int kMaxSkipped = 64;

/// Notices of libzmq about a socket's connection.
class ConnectionMonitor {
public:
    explicit ConnectionMonitor(zmq::context_t& context)
        : notices_(context, zmq::socket_type::pair) {
        notices_.set(zmq::sockopt::linger, 0);
    }

    /// Throws zmq::error_t.
    void watch(zmq::socket_t& socket, const std::string& name) {
        const int events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                           ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                           ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED;
        if (zmq_socket_monitor(socket.handle(), name.c_str(), events) != 0) throw zmq::error_t();
        notices_.connect(name);
    }

    /// The next event (ZMQ_EVENT_…); 0 when there is none.
    int next() {
        zmq::message_t notice;
        if (!notices_.recv(notice, zmq::recv_flags::dontwait)) return 0;
        zmq::message_t address;
        if (notice.more()) std::ignore = notices_.recv(address, zmq::recv_flags::none);
        std::uint16_t event = 0;
        if (notice.size() >= sizeof event) std::memcpy(&event, notice.data(), sizeof event);
        return event;
    }

    [[nodiscard]] const zmq::socket_t& socket() const { return notices_; }

private:
    zmq::socket_t notices_;
};

}  // namespace

struct ClientSocket::State {
    State(Context sharedContext, std::string serverEndpoint)
        : context(std::move(sharedContext)),
          endpoint(std::move(serverEndpoint)),
          monitor(context.state()->context),
          socket(context.state()->context, zmq::socket_type::dealer) {}

    const Context context;
    const std::string endpoint;
    ConnectionMonitor monitor;
    zmq::socket_t socket;  // destroyed before its monitor
    LinkStatus status;
    std::uint64_t malformed = 0;

    void setState(LinkState next) {
        status.state = next;
        switch (next) {
            case LinkState::Connecting:
                status.sentence =
                    (status.connections == 0 ? "connecting to " : "connecting again to ") +
                    endpoint;
                break;
            case LinkState::Connected:
                status.sentence = "connected to " + endpoint;
                break;
            case LinkState::Refused:
                status.sentence = "the coordinator at " + endpoint +
                                  " does not admit this process's key: it belongs to another start "
                                  "of the job";
                break;
            case LinkState::WrongServer:
                status.sentence = "whoever listens at " + endpoint +
                                  " does not hold the key of this job's coordinator: another "
                                  "program or another job has the address";
                break;
        }
    }

    void handshakeFailed() {
        ++status.handshakeFailures;
        if (status.handshakeFailures >= kFailuresOfAWrongServer) setState(LinkState::WrongServer);
    }

    void handle(int event) {
        switch (event) {
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
                status.handshakeFailures = 0;
                status.refusals = 0;
                ++status.connections;
                setState(LinkState::Connected);
                break;
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
                ++status.handshakeFailures;
                setState(LinkState::Refused);
                break;
            case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
                handshakeFailed();
                break;
            case ZMQ_EVENT_DISCONNECTED:
                if (status.state != LinkState::Connected) break;
                ++status.disconnections;
                setState(LinkState::Connecting);
                break;
            case ZMQ_EVENT_CLOSED:  // of a socket that was never connected
                ++status.refusals;
                break;
            default:
                break;
        }
    }

    void readNotices() {
        try {
            for (int event = monitor.next(); event != 0; event = monitor.next())
                handle(event);
        } catch (const zmq::error_t&) {  // NOLINT(bugprone-empty-catch)
            // The notices inform people; the connection works without them.
        }
    }
};

ClientSocket::ClientSocket(std::unique_ptr<State> state) : state_(std::move(state)) {}
ClientSocket::~ClientSocket() = default;

Result<std::unique_ptr<ClientSocket>> ClientSocket::connect(const Context& context,
                                                            const std::string& endpoint,
                                                            const std::string& serverPublicKey,
                                                            const KeyPair& ownKeys,
                                                            const SocketLimits& limits) {
    if (!isKey(serverPublicKey) || !isKey(ownKeys.publicKey) || !isKey(ownKeys.secretKey))
        return fail(ErrorCode::BadInput, "cannot connect to " + endpoint + ": a key is malformed");
    try {
        auto state = std::make_unique<State>(context, endpoint);
        zmq::socket_t& socket = state->socket;
        setCommonOptions(socket, endpoint, limits);
        socket.set(zmq::sockopt::reconnect_ivl, static_cast<int>(limits.reconnect.count()));
        socket.set(zmq::sockopt::reconnect_ivl_max, static_cast<int>(limits.reconnectMax.count()));
        socket.set(zmq::sockopt::curve_serverkey, serverPublicKey);
        socket.set(zmq::sockopt::curve_publickey, ownKeys.publicKey);
        socket.set(zmq::sockopt::curve_secretkey, ownKeys.secretKey);
        state->monitor.watch(socket, fmt::format("inproc://connection-{}",
                                                 context.state()->nextMonitor.fetch_add(1)));
        state->setState(LinkState::Connecting);
        socket.connect(endpoint);
        return std::unique_ptr<ClientSocket>(new ClientSocket(std::move(state)));
    } catch (const zmq::error_t& error) {
        if (error.num() == EINVAL || error.num() == EPROTONOSUPPORT)
            return fail(ErrorCode::BadInput,
                        "cannot connect to " + endpoint + ": it is not an endpoint",
                        "Endpoints are written tcp://HOST:PORT or ipc:///path/of/socket.");
        return failZmq("connecting to " + endpoint, error);
    }
}

Result<Sent> ClientSocket::trySend(std::string_view bytes) {
    try {
        const auto sent = state_->socket.send(zmq::buffer(bytes), zmq::send_flags::dontwait);
        return sent ? Sent::Yes : Sent::WouldBlock;
    } catch (const zmq::error_t& error) {
        return failZmq("sending to " + state_->endpoint, error);
    }
}

Result<std::optional<std::string>> ClientSocket::receive() {
    state_->readNotices();
    try {
        for (int skipped = 0; skipped < kMaxSkipped; ++skipped) {
            zmq::message_t message;
            if (!state_->socket.recv(message, zmq::recv_flags::dontwait)) return std::nullopt;
            if (!message.more()) return std::optional(message.to_string());
            for (bool more = true; more; more = message.more())
                std::ignore = state_->socket.recv(message, zmq::recv_flags::none);
            ++state_->malformed;
        }
        return std::nullopt;
    } catch (const zmq::error_t& error) {
        return failZmq("receiving from " + state_->endpoint, error);
    }
}

std::uint64_t ClientSocket::malformedCount() const {
    return state_->malformed;
}

const LinkStatus& ClientSocket::status() {
    state_->readNotices();
    return state_->status;
}

std::array<void*, 2> ClientSocket::pollHandles() const {
    return {pollHandle(state_->socket), pollHandle(state_->monitor.socket())};
}

}  // namespace lockstep::wire
