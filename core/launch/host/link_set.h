// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/launch/host/host_link.h"

namespace lockstep::launch {

/// The links to a run's hosts, driven together: leases are renewed whoever is waited for, answers
/// find their requests, and what comes unasked is kept. A link that breaks stays in its place,
/// broken. One thread; nothing happens outside of `pump` and what calls it.
class LinkSet {
public:
    explicit LinkSet(Nanos lease) : lease_(lease) {}

    /// Introduces itself to the service when it is next pumped. Returns the link's number.
    std::size_t add(std::unique_ptr<HostLink> link);
    [[nodiscard]] std::size_t size() const { return members_.size(); }
    [[nodiscard]] HostLink* linkAt(std::size_t index) { return members_[index].link.get(); }
    /// Why the link is broken; nullopt while it is not.
    [[nodiscard]] const std::optional<Error>& errorAt(std::size_t index) const {
        return members_[index].error;
    }
    /// From now on both ends of a link go by the lease: where none of its renewals was answered for
    /// so long, the link is broken, whatever its transport still hopes for. Not while agents are
    /// started: a service that does so may be busy for longer.
    void expectSignsOfLife(bool expect = true) { mayNotBeSilent_ = expect; }
    /// Closes a link: what is tied to it ends.
    void close(std::size_t index);

    /// Sends one request; its number. A failure shows itself in takeAnswer.
    [[nodiscard]] std::uint64_t post(std::size_t index, wire::ToHost request);
    /// Sends what is not answered, under a number of the caller's.
    void tell(std::size_t index, wire::ToHost message);
    /// The answer to a request, once: nullopt while there is none. A HostError is an error, and so
    /// is a broken link.
    [[nodiscard]] std::optional<Result<wire::FromHost>> takeAnswer(std::uint64_t request);
    /// Posts and waits. Timeout.
    [[nodiscard]] Result<wire::FromHost> ask(std::size_t index, wire::ToHost request,
                                             Nanos timeout);

    struct News {
        std::size_t link = 0;
        wire::FromHost message;
    };
    /// What came unasked, in order: AgentEnded, and what answers `tell`.
    [[nodiscard]] std::deque<News> takeNews();

    /// Waits up to `timeout` for anything from a link or one of `others`, whose revents it sets,
    /// and takes it.
    void pump(Nanos timeout, std::vector<pollfd>& others);
    void pump(Nanos timeout) {
        std::vector<pollfd> none;
        pump(timeout, none);
    }

private:
    struct Member {
        std::string host;
        std::unique_ptr<HostLink> link;  ///< Null once it is broken or closed.
        std::optional<Error> error;
        Nanos renewed{};
        std::optional<Nanos> asked{};        ///< The first renewal since it was last heard of.
        std::deque<wire::ToHost> waiting{};  ///< Not taken by the link yet.
    };
    struct Pending {
        std::size_t link = 0;
        std::optional<wire::FromHost> answer;
    };

    void renewLeases(Nanos now);
    void sendWaiting(std::size_t index);
    void receiveFrom(std::size_t index);
    void breakSilent(std::size_t index);
    void breakLink(std::size_t index, Error error);
    void closeAside(std::unique_ptr<HostLink> link);

    Nanos lease_;
    bool mayNotBeSilent_ = false;
    std::vector<std::jthread> closing_;  ///< Of broken links, which take seconds to end.
    std::vector<Member> members_;
    std::map<std::uint64_t, Pending> pending_;
    std::deque<News> news_;
    std::uint64_t lastRequest_ = 0;
};

}  // namespace lockstep::launch
