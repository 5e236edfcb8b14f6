// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <netdb.h>
#include <sys/stat.h>

#include <charconv>
#include <tuple>
#include <vector>

#include "core/base/file.h"
#include "core/wire/socket_options.h"

namespace lockstep::wire {

namespace {

/// ZMQ_ZAP_ENFORCE_DOMAIN, stable in the library but declared with its drafts. Without it libzmq
/// admits every client when no ZAP handler answers.
constexpr int kZapEnforceDomain = 93;
constexpr int kBacklog = 1024;
/// Broken messages skipped by one `receive`, so that one client cannot keep it busy.
constexpr int kMaxSkipped = 64;
constexpr std::string_view kIpcScheme = "ipc://";

/// Whether the library has taken "refuse everyone when nobody judges".
bool enforceAuthentication(zmq::socket_t& socket) {
    const int one = 1;
    int taken = 0;
    std::size_t size = sizeof taken;
    return zmq_setsockopt(socket.handle(), kZapEnforceDomain, &one, sizeof one) == 0 &&
           zmq_getsockopt(socket.handle(), kZapEnforceDomain, &taken, &size) == 0 && taken == 1;
}

Error bindFailure(const std::string& endpoint, const zmq::error_t& error) {
    const std::string place = "cannot listen at " + endpoint + ": ";
    switch (error.num()) {
        case EADDRINUSE:
            return {ErrorCode::Unavailable, place + "the address is in use by another program",
                    "Choose another port, or port 0 to let the system choose;\n"
                    "`ss -ltnp` shows which program listens there."};
        case EADDRNOTAVAIL:
        case ENODEV:
            return {ErrorCode::Unavailable, place + "it is not an address of this machine",
                    "Use an address or interface that `ip address` lists here."};
        case EACCES:
            return {ErrorCode::Unavailable, place + "permission denied",
                    "Ports below 1024 are reserved for root: use a higher one, or port 0."};
        case EINVAL:
        case EPROTONOSUPPORT:
            return {ErrorCode::BadInput, place + "it is not an endpoint",
                    "Endpoints are written tcp://HOST:PORT or ipc:///path/of/socket."};
        default:
            return {ErrorCode::Io, place + error.what(), ""};
    }
}

/// The endpoint with its host's name replaced by its first address. libzmq binds to addresses and
/// interfaces only, but job files name hosts. Unchanged when the name is unknown.
std::string resolvedEndpoint(const std::string& endpoint) {
    const TcpParts parts = tcpParts(endpoint);
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (parts.host.empty() || ::getaddrinfo(parts.host.c_str(), nullptr, &hints, &found) != 0)
        return endpoint;
    char text[NI_MAXHOST] = {};
    const int status = ::getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr,
                                     0, NI_NUMERICHOST);
    const bool isIpv6 = found->ai_family == AF_INET6;
    ::freeaddrinfo(found);
    if (status != 0) return endpoint;
    return isIpv6 ? fmt::format("tcp://[{}]:{}", text, parts.port)
                  : fmt::format("tcp://{}:{}", text, parts.port);
}

void bindByAddressOrName(zmq::socket_t& socket, const std::string& endpoint) {
    try {
        socket.bind(endpoint);
    } catch (const zmq::error_t& error) {
        const std::string resolved = resolvedEndpoint(endpoint);
        if (error.num() != ENODEV || resolved == endpoint) throw;
        socket.bind(resolved);
    }
}

/// The user id that the authenticator gave to the sender; empty when there is none.
std::string userIdOf(zmq::message_t& message) {
    const char* const userId = zmq_msg_gets(message.handle(), "User-Id");
    return userId == nullptr ? std::string() : std::string(userId);
}

}  // namespace

struct ServerSocket::State {
    explicit State(Context sharedContext)
        : context(std::move(sharedContext)),
          socket(context.state()->context, zmq::socket_type::router) {}

    const Context context;
    zmq::socket_t socket;
    std::string endpoint;
    std::uint64_t malformed = 0;

    enum class Take : std::uint8_t { Empty, Malformed, Message };

    /// Takes the next message off the socket, whatever its form.
    Take takeOne(Incoming& incoming) {
        zmq::message_t routingId;
        if (!socket.recv(routingId, zmq::recv_flags::dontwait)) return Take::Empty;
        if (!routingId.more()) return Take::Malformed;
        zmq::message_t body;
        std::ignore = socket.recv(body, zmq::recv_flags::none);  // messages arrive whole
        const bool single = !body.more();
        for (bool more = body.more(); more;) {
            zmq::message_t rest;
            std::ignore = socket.recv(rest, zmq::recv_flags::none);
            more = rest.more();
        }
        incoming = {routingId.to_string(), userIdOf(body), body.to_string()};
        return single && !incoming.userId.empty() ? Take::Message : Take::Malformed;
    }
};

ServerSocket::ServerSocket(std::unique_ptr<State> state) : state_(std::move(state)) {}
ServerSocket::~ServerSocket() = default;

Result<std::unique_ptr<ServerSocket>> ServerSocket::bind(const Context& context,
                                                         const std::string& endpoint,
                                                         const KeyPair& keys,
                                                         const SocketLimits& limits) {
    if (!context.state()->authenticated)
        return fail(ErrorCode::Internal,
                    "cannot listen at " + endpoint + ": no authenticator was started");
    if (!isKey(keys.publicKey) || !isKey(keys.secretKey))
        return fail(ErrorCode::BadInput, "cannot listen at " + endpoint + ": its key is malformed");
    try {
        auto state = std::make_unique<State>(context);
        zmq::socket_t& socket = state->socket;
        setCommonOptions(socket, endpoint, limits);
        // What was answered last (how a run ended) must outlive the socket for a moment.
        socket.set(zmq::sockopt::linger, 1000);
        socket.set(zmq::sockopt::backlog, kBacklog);
        socket.set(zmq::sockopt::router_mandatory, true);
        socket.set(zmq::sockopt::curve_server, true);
        socket.set(zmq::sockopt::curve_secretkey, keys.secretKey);
        socket.set(zmq::sockopt::zap_domain, kZapDomain);
        if (!enforceAuthentication(socket))
            return fail(ErrorCode::Internal,
                        "this ZeroMQ library cannot refuse clients that nobody has authenticated",
                        "Use libzmq 4.3.4 or newer.");
        bindByAddressOrName(socket, endpoint);
        state->endpoint = socket.get(zmq::sockopt::last_endpoint);
        if (endpoint.starts_with(kIpcScheme) &&
            ::chmod(endpoint.c_str() + kIpcScheme.size(), 0600) != 0)
            return fail(ErrorCode::Io, "protecting " + endpoint + ": " + errnoText());
        return std::unique_ptr<ServerSocket>(new ServerSocket(std::move(state)));
    } catch (const zmq::error_t& error) {
        return fail(bindFailure(endpoint, error));
    }
}

const std::string& ServerSocket::endpoint() const {
    return state_->endpoint;
}

int ServerSocket::port() const {
    const std::string text = tcpParts(state_->endpoint).port;
    int port = 0;
    std::from_chars(text.data(), text.data() + text.size(), port);
    return port;
}

Result<std::optional<Incoming>> ServerSocket::receive() {
    try {
        for (int skipped = 0; skipped < kMaxSkipped; ++skipped) {
            Incoming incoming;
            switch (state_->takeOne(incoming)) {
                case State::Take::Empty:
                    return std::nullopt;
                case State::Take::Message:
                    return std::optional(std::move(incoming));
                case State::Take::Malformed:
                    ++state_->malformed;
                    break;
            }
        }
        return std::nullopt;
    } catch (const zmq::error_t& error) {
        return failZmq("receiving at " + state_->endpoint, error);
    }
}

std::uint64_t ServerSocket::malformedCount() const {
    return state_->malformed;
}

Result<Sent> ServerSocket::send(std::string_view routingId, std::string_view bytes) {
    try {
        const auto addressed = state_->socket.send(
            zmq::buffer(routingId), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
        if (!addressed) return Sent::WouldBlock;
        const auto sent = state_->socket.send(zmq::buffer(bytes), zmq::send_flags::dontwait);
        return sent ? Sent::Yes : Sent::WouldBlock;
    } catch (const zmq::error_t& error) {
        if (error.num() == EHOSTUNREACH) return Sent::Gone;
        return failZmq("sending from " + state_->endpoint, error);
    }
}

std::array<void*, 2> ServerSocket::pollHandles() const {
    return {pollHandle(state_->socket), nullptr};
}

}  // namespace lockstep::wire
