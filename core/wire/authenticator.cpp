// SPDX-License-Identifier: Apache-2.0
#include "core/wire/authenticator.h"

#include <array>
#include <map>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/thread.h"
#include "core/wire/keys.h"
#include "core/wire/native.h"
#include "core/wire/poll.h"

namespace lockstep::wire {

namespace {

constexpr const char* kZapEndpoint = "inproc://zeromq.zap.01";
constexpr std::size_t kBinaryKeyBytes = 32;
constexpr std::size_t kMaxUserIdBytes = 200;

/// Frames of a ZAP request (ZeroMQ RFC 27).
enum ZapFrame : std::size_t { Version, RequestId, Domain, Address, Identity, Mechanism, Key };
constexpr std::size_t kZapFrames = 7;

/// The end of the handler that libzmq talks to.
class ZapSocket final : public Pollable {
public:
    explicit ZapSocket(zmq::context_t& context) : socket_(context, zmq::socket_type::rep) {
        socket_.set(zmq::sockopt::linger, 0);
    }
    void bind() { socket_.bind(kZapEndpoint); }

    /// The frames of the next request; empty when there is none.
    std::vector<std::string> receive() {
        std::vector<std::string> frames;
        zmq::message_t frame;
        do {
            if (!socket_.recv(frame, zmq::recv_flags::dontwait)) return frames;
            frames.push_back(frame.to_string());
        } while (frame.more());
        return frames;
    }

    void reply(const std::string& requestId, const std::optional<std::string>& userId) {
        const std::array<std::string, 6> frames{"1.0",
                                                requestId,
                                                userId ? "200" : "400",
                                                userId ? "OK" : "key not admitted",
                                                userId.value_or(""),
                                                ""};
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const auto more =
                i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
            // A REP socket with one requester that awaits this answer never blocks.
            std::ignore = socket_.send(zmq::buffer(frames[i]), more | zmq::send_flags::dontwait);
        }
    }

protected:
    std::array<void*, 2> pollHandles() const override {
        // cppzmq hands out the handle of a mutable socket only; polling does not change it.
        return {const_cast<zmq::socket_t&>(socket_).handle(), nullptr};
    }

private:
    zmq::socket_t socket_;
};

}  // namespace

struct Authenticator::State {
    explicit State(Context sharedContext, Wakeup ownWakeup)
        : context(std::move(sharedContext)),
          socket(context.state()->context),
          wakeup(std::move(ownWakeup)) {}

    const Context context;
    ZapSocket socket;  // bound by start(), then the thread's alone
    Wakeup wakeup;
    mutable Mutex mutex;
    std::map<std::string, std::string> userOfKey LS_GUARDED_BY(mutex);  // by binary key
    std::atomic<std::uint64_t> refused{0};
    std::jthread thread;

    [[nodiscard]] std::optional<std::string> judge(const std::vector<std::string>& request) const {
        if (request.size() != kZapFrames || request[Version] != "1.0") return std::nullopt;
        if (request[Domain] != kZapDomain || request[Mechanism] != "CURVE") return std::nullopt;
        Lock lock(mutex);
        const auto found = userOfKey.find(request[Key]);
        if (found == userOfKey.end()) return std::nullopt;
        return found->second;
    }

    void serve(const std::stop_token& stop) {
        Pollable* const sockets[] = {&socket};
        while (!stop.stop_requested()) {
            const auto ready = waitReadable(sockets, &wakeup, std::chrono::seconds(1));
            if (!ready) return;  // no handler: every later connection is refused
            try {
                answerAll();
            } catch (const zmq::error_t&) {
                return;  // as above
            }
        }
    }

    void answerAll() {
        for (auto request = socket.receive(); !request.empty(); request = socket.receive()) {
            const auto userId = judge(request);
            if (!userId) refused.fetch_add(1, std::memory_order_relaxed);
            socket.reply(request.size() > RequestId ? request[RequestId] : "", userId);
        }
    }
};

Authenticator::Authenticator(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Authenticator>> Authenticator::start(const Context& context) {
    auto wakeup = Wakeup::make();
    if (!wakeup) return fail(std::move(wakeup.error()));
    try {
        auto state = std::make_unique<State>(context, std::move(*wakeup));
        state->socket.bind();
        context.state()->authenticated = true;
        State* const shared = state.get();
        state->thread =
            startThread("zap", [shared](const std::stop_token& stop) { shared->serve(stop); });
        return std::unique_ptr<Authenticator>(new Authenticator(std::move(state)));
    } catch (const zmq::error_t& error) {
        if (error.num() == EADDRINUSE)
            return fail(ErrorCode::Unavailable, "this process has an authenticator already");
        return failZmq("starting the authenticator", error);
    }
}

Authenticator::~Authenticator() {
    state_->context.state()->authenticated = false;
    state_->thread.request_stop();
    state_->wakeup.notify();
    state_->thread.join();
}

Result<void> Authenticator::allow(const std::string& publicKey, const std::string& userId) {
    if (!isKey(publicKey))
        return fail(ErrorCode::BadInput,
                    "the public key of " + userId + " is not a Z85 key of 40 characters");
    if (userId.empty() || userId.size() > kMaxUserIdBytes)
        return fail(ErrorCode::BadInput,
                    "a user id has 1 to 200 bytes, this one has " + std::to_string(userId.size()));
    std::array<std::uint8_t, kBinaryKeyBytes> binary{};
    if (zmq_z85_decode(binary.data(), publicKey.c_str()) == nullptr)
        return fail(ErrorCode::BadInput, "the public key of " + userId + " is not a Z85 key");
    Lock lock(state_->mutex);
    state_->userOfKey[std::string(binary.begin(), binary.end())] = userId;
    return {};
}

void Authenticator::revoke(const std::string& userId) {
    Lock lock(state_->mutex);
    std::erase_if(state_->userOfKey, [&](const auto& entry) { return entry.second == userId; });
}

std::uint64_t Authenticator::refusedCount() const {
    return state_->refused.load(std::memory_order_relaxed);
}

}  // namespace lockstep::wire
