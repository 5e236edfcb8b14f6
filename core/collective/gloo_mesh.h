// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/store.h"

namespace lockstep::collective {

/// How a transfer ended.
enum class TransferEnd : std::uint8_t { Done, Aborted, PeerLost, TimedOut };

/// One place in memory and one peer, for messages in one direction; at most one is under way.
/// Belongs to one thread. The memory must outlive it.
class GlooTransfer {
public:
    virtual ~GlooTransfer() = default;
    /// Rank of the other end.
    [[nodiscard]] virtual int peer() const = 0;
    /// Queues the message of this number; the peer uses the same number. Does not wait.
    virtual void start(std::uint64_t slot) = 0;
    /// Waits until the message has come, or the memory sent from may be written again.
    [[nodiscard]] virtual TransferEnd finish(Nanos deadline) = 0;
};

/// Connections from this process to all others of a ring of ranks, by Gloo over TCP. The only code
/// that includes Gloo. It uses Gloo's unbound buffers alone: its older classes shrink the sockets'
/// buffers, and its own allreduce adds in another order than ours.
class GlooMesh {
public:
    struct Options {
        int rank = 0;
        int ranks = 1;
        std::string bindHost;  ///< Address of this process that the others can reach.
        std::string prefix;    ///< Of the store's keys; never used twice.
        Nanos deadline{0};     ///< Of the whole connecting (SteadyClock).
    };

    /// Connects to all ranks. BadInput, Unavailable: no such local address. Timeout, PeerLost: not
    /// all came. Makes the process ignore SIGPIPE, which Gloo's writes to a lost peer would raise.
    [[nodiscard]] static Result<std::unique_ptr<GlooMesh>> connect(Store& store,
                                                                   const Options& options);
    ~GlooMesh();

    [[nodiscard]] std::unique_ptr<GlooTransfer> outgoing(int peer,
                                                         std::span<const std::byte> memory);
    [[nodiscard]] std::unique_ptr<GlooTransfer> incoming(int peer, std::span<std::byte> memory);

    /// Ends all transfers, now and later, with Aborted, and closes the connections, so that the
    /// peers notice. Any thread, any time.
    void abort();

private:
    struct Impl;
    class Transfer;
    explicit GlooMesh(std::unique_ptr<Impl> impl);
    [[nodiscard]] TransferEnd meet(const Options& options);
    std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::collective
