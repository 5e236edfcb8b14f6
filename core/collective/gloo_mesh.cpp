// SPDX-License-Identifier: Apache-2.0
#include "core/collective/gloo_mesh.h"

#include <fmt/core.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/attr.h>
#include <gloo/transport/tcp/device.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/base/thread.h"
#include "core/base/try.h"

namespace lockstep::collective {

namespace {

/// Our store in the form that Gloo asks for, with one deadline for everything asked. Gloo knows
/// only exceptions, so the first error is kept and thrown through its code as an empty one.
class StoreAdapter final : public gloo::rendezvous::Store {
public:
    StoreAdapter(collective::Store& store, std::string prefix, Nanos deadline)
        : store_(store), prefix_(std::move(prefix)), deadline_(deadline) {}

    void set(const std::string& key, const std::vector<char>& data) override {
        const auto stored = store_.set(prefix_ + key, std::string_view(data.data(), data.size()));
        if (!stored) stop(stored.error());
    }
    std::vector<char> get(const std::string& key) override {
        const Nanos left = std::max(deadline_ - SteadyClock::read(), Nanos(1));
        const Result<std::string> value = store_.get(prefix_ + key, left);
        if (!value) stop(value.error());
        return {value->begin(), value->end()};
    }
    void wait(const std::vector<std::string>& keys) override {
        for (const std::string& key : keys)
            get(key);
    }
    void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
        wait(keys);
    }

    [[nodiscard]] const std::optional<Error>& error() const { return error_; }

private:
    [[noreturn]] void stop(const Error& error) {
        error_ = error;
        throw gloo::IoException("the store refused");
    }

    collective::Store& store_;
    const std::string prefix_;
    const Nanos deadline_;
    std::optional<Error> error_;
};

Error notOurs(const std::string& host, const std::string& why) {
    return {
        ErrorCode::Unavailable,
        fmt::format("cannot listen on \"{}\" for the gradients of other processes: {}", host, why),
        "Name an address of this host, as `ip address` shows them."};
}

Error unreached(const GlooMesh::Options& options, bool late) {
    return {late ? ErrorCode::Timeout : ErrorCode::PeerLost,
            fmt::format("the other processes could not be reached from \"{}\"", options.bindHost),
            "Is the address reachable from the other hosts? Do firewalls let TCP pass?"};
}

/// Whether sockets can listen on `host`. Gloo finds out too, but says neither what nor why.
Result<void> checkAddress(const std::string& host) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* all = nullptr;
    const int status = getaddrinfo(host.c_str(), nullptr, &wanted, &all);
    if (status != 0) return fail(notOurs(host, gai_strerror(status)));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(all, freeaddrinfo);
    std::string why = "it has no address";
    for (const addrinfo* one = all; one != nullptr; one = one->ai_next) {
        const UniqueFd probe(socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, 0));
        if (probe.valid() && bind(probe.get(), one->ai_addr, one->ai_addrlen) == 0) return {};
        why = errnoText();
    }
    return fail(notOurs(host, why));
}

/// Null where no socket can be opened there. A thread has the name of the one that starts it: so
/// Gloo's own, which carries all messages, is known by its name where it stands still.
std::shared_ptr<gloo::transport::Device> deviceAt(const std::string& host) {
    std::shared_ptr<gloo::transport::Device> device;
    startThread("gloo-loop", [&device, &host](const std::stop_token&) {
        try {
            gloo::transport::tcp::attr attributes;
            attributes.hostname = host;
            device = gloo::transport::tcp::CreateDevice(attributes);
        } catch (const std::exception&) {
            device.reset();
        }
    }).join();
    return device;
}

// Slots of the watcher's messages, which nobody sends, and of the word that one has connected.
constexpr std::uint64_t kSentinelSlot = std::uint64_t{1} << 62;
constexpr std::uint64_t kConnectedSlot = kSentinelSlot | (std::uint64_t{1} << 61);
// Of a wait that other means end. Gloo breaks all connections when a wait takes longer.
constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365 * 10);

std::chrono::milliseconds millisUntil(Nanos deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::read());
    return std::max(left, std::chrono::milliseconds(1));
}

}  // namespace

/// The connections, and a thread that learns of lost peers.
///
/// When a connection breaks, Gloo fails all transfers queued on it except a send that it is just
/// writing: that one would wait until its timeout. So a message that never comes is awaited from
/// every peer: its failure tells of the loss, and the watcher then ends the sends to that peer.
struct GlooMesh::Impl {
    std::shared_ptr<gloo::transport::Device> device;
    std::shared_ptr<gloo::rendezvous::Context> context;
    std::atomic<bool> aborted{false};
    Mutex mutex;
    std::map<gloo::transport::UnboundBuffer*, int> peerOf LS_GUARDED_BY(mutex);  // All transfers.
    gloo::transport::UnboundBuffer* sentinel LS_GUARDED_BY(mutex) = nullptr;
    bool stopping LS_GUARDED_BY(mutex) = false;
    std::jthread watcher;  // Last, so that it ends before what it uses.

    ~Impl() { stopWatching(); }

    void startWatching() {
        watcher = startThread("gloo-watch", [this](const std::stop_token&) { watchPeers(); });
    }

    void stopWatching() {
        Lock lock(mutex);
        stopping = true;
        if (sentinel != nullptr) sentinel->abortWaitRecv();
    }

private:
    void watchPeers() {
        std::set<int> alive;
        for (int rank = 0; rank < context->size; ++rank)
            if (rank != context->rank) alive.insert(rank);
        for (std::uint64_t round = 0; !alive.empty() && watchUntilLoss(alive, round); ++round)
            std::this_thread::sleep_for(Millis(1));  // A peer's end often comes with others'.
    }

    /// Takes the lost ones out of `alive`, then waits for the next loss. False: stop watching.
    bool watchUntilLoss(std::set<int>& alive, std::uint64_t round) {
        char never = 0;
        const auto buffer = context->createUnboundBuffer(&never, sizeof never);
        {
            Lock lock(mutex);
            if (stopping) return false;
            sentinel = buffer.get();
        }
        for (auto peer = alive.begin(); peer != alive.end();) {
            try {
                buffer->recv(*peer, kSentinelSlot | round);
                ++peer;
            } catch (const std::exception&) {
                endSendsTo(*peer);
                peer = alive.erase(peer);
            }
        }
        try {
            if (!alive.empty()) buffer->waitRecv(nullptr, kForever);
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
            // The next round finds out whom we lost.
        }
        Lock lock(mutex);
        sentinel = nullptr;
        return !stopping;
    }

    void endSendsTo(int lost) {
        Lock lock(mutex);
        for (const auto& [buffer, peer] : peerOf)
            if (peer == lost) buffer->abortWaitSend();
    }
};

class GlooMesh::Transfer final : public GlooTransfer {
public:
    enum class Direction : std::uint8_t { Out, In };

    Transfer(Impl& mesh, int peer, Direction direction, void* memory, std::size_t bytes)
        : mesh_(mesh),
          peer_(peer),
          direction_(direction),
          buffer_(mesh.context->createUnboundBuffer(memory, bytes)) {
        Lock lock(mesh_.mutex);
        mesh_.peerOf[buffer_.get()] = peer;
    }
    ~Transfer() override {
        Lock lock(mesh_.mutex);
        mesh_.peerOf.erase(buffer_.get());
    }

    int peer() const override { return peer_; }

    void start(std::uint64_t slot) override {
        if (mesh_.aborted.load()) return;
        try {
            if (direction_ == Direction::Out)
                buffer_->send(peer_, slot);
            else
                buffer_->recv(peer_, slot);
        } catch (const std::exception&) {
            lost_ = true;  // Told by finish(): whoever starts early has nobody to tell.
        }
    }

    TransferEnd finish(Nanos deadline) override {
        if (mesh_.aborted.load()) return TransferEnd::Aborted;
        if (lost_) return TransferEnd::PeerLost;
        try {
            return wait(millisUntil(deadline)) ? TransferEnd::Done : TransferEnd::Aborted;
        } catch (const std::exception&) {
            // Gloo's text names the wrong peer and a mangled port: never shown.
            lost_ = true;
            if (mesh_.aborted.load()) return TransferEnd::Aborted;
            return SteadyClock::read() >= deadline ? TransferEnd::TimedOut : TransferEnd::PeerLost;
        }
    }

private:
    /// False when abort() ended the wait. Throws as Gloo does.
    bool wait(std::chrono::milliseconds most) {
        if (direction_ == Direction::In) return buffer_->waitRecv(nullptr, most);
        if (buffer_->waitSend(nullptr, most)) return true;
        if (mesh_.aborted.load()) return false;
        // The peer is gone, but may have left after it had everything: then this succeeds at once.
        return buffer_->waitSend(nullptr, std::chrono::milliseconds(1));
    }

    Impl& mesh_;
    const int peer_;
    const Direction direction_;
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
    bool lost_ = false;
};

GlooMesh::GlooMesh(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GlooMesh::~GlooMesh() = default;

Result<std::unique_ptr<GlooMesh>> GlooMesh::connect(collective::Store& store,
                                                    const Options& options) {
    if (options.bindHost.empty())
        return fail(ErrorCode::BadInput, "Gloo was given no address of this process to listen on");
    TRY(checkAddress(options.bindHost));
    ignoreSigpipe();
    auto impl = std::make_unique<Impl>();
    impl->device = deviceAt(options.bindHost);
    if (impl->device == nullptr)
        return fail(notOurs(options.bindHost, "no socket can be opened there"));
    const Nanos deadline = options.deadline;
    StoreAdapter adapter(store, options.prefix, deadline);
    try {
        impl->context = std::make_shared<gloo::rendezvous::Context>(options.rank, options.ranks);
        // Gloo waits five times this long for a connection to be made.
        constexpr int kGloosPatience = 5;
        impl->context->setTimeout(
            std::max(millisUntil(deadline) / kGloosPatience, std::chrono::milliseconds(1)));
        impl->context->connectFullMesh(adapter, impl->device);
    } catch (const std::exception&) {
        if (adapter.error())
            return failWithin("connecting to the other processes", *adapter.error());
        return fail(unreached(options, SteadyClock::read() >= deadline));
    }
    impl->startWatching();
    auto mesh = std::unique_ptr<GlooMesh>(new GlooMesh(std::move(impl)));
    if (const TransferEnd met = mesh->meet(options); met != TransferEnd::Done)
        return fail(unreached(options, met == TransferEnd::TimedOut));
    return mesh;
}

/// Waits until all have connected to all: whoever leaves at once would else close a connection
/// that a slower peer is just taking up.
TransferEnd GlooMesh::meet(const Options& options) {
    std::byte said{1};
    std::vector<std::byte> heard(static_cast<std::size_t>(options.ranks));
    std::vector<std::unique_ptr<GlooTransfer>> transfers;
    for (int peer = 0; peer < options.ranks; ++peer) {
        if (peer == options.rank) continue;
        transfers.push_back(
            incoming(peer, std::span(heard).subspan(static_cast<std::size_t>(peer), 1)));
        transfers.push_back(outgoing(peer, std::span(&said, 1)));
    }
    for (const auto& transfer : transfers)
        transfer->start(kConnectedSlot);
    for (const auto& transfer : transfers)
        if (const TransferEnd end = transfer->finish(options.deadline); end != TransferEnd::Done)
            return end;
    return TransferEnd::Done;
}

std::unique_ptr<GlooTransfer> GlooMesh::outgoing(int peer, std::span<const std::byte> memory) {
    // Gloo's buffers serve both directions and so are not const; an outgoing one is only read.
    return std::make_unique<Transfer>(*impl_, peer, Transfer::Direction::Out,
                                      const_cast<std::byte*>(memory.data()), memory.size());
}

std::unique_ptr<GlooTransfer> GlooMesh::incoming(int peer, std::span<std::byte> memory) {
    return std::make_unique<Transfer>(*impl_, peer, Transfer::Direction::In, memory.data(),
                                      memory.size());
}

void GlooMesh::abort() {
    if (impl_->aborted.exchange(true)) return;
    {
        Lock lock(impl_->mutex);
        // Gloo keeps the abort for a wait that is just about to begin.
        for (const auto& [buffer, peer] : impl_->peerOf) {
            buffer->abortWaitRecv();
            buffer->abortWaitSend();
        }
    }
    impl_->stopWatching();
    impl_->context->closeConnections();
}

}  // namespace lockstep::collective
