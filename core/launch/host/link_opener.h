// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/mutex.h"
#include "core/launch/host/host_link.h"

namespace lockstep::launch {

/// Makes the function that opens links; what it opens is given up soon after `cancel`.
using MakeLinks = std::function<OpenLink(std::stop_token cancel)>;

/// Opens links to hosts at the same time, each on a thread of its own ("open-link"). Destruction
/// gives up what is not open yet. Used by one thread.
class LinkOpener {
public:
    LinkOpener(const std::vector<std::string>& hosts, const MakeLinks& makeLinks);
    ~LinkOpener() { giveUp(); }
    LinkOpener(const LinkOpener&) = delete;
    LinkOpener& operator=(const LinkOpener&) = delete;

    /// What has come of each host so far; a link is handed over once, its place is then null.
    using Outcome = std::optional<Result<std::unique_ptr<HostLink>>>;
    [[nodiscard]] bool isDone() const;
    /// Whether one has failed: the others are given up then.
    [[nodiscard]] bool hasFailed() const;
    void giveUp();
    /// In the order of the hosts; call once all are done.
    [[nodiscard]] std::vector<Result<std::unique_ptr<HostLink>>> take();
    /// "connecting to 4 hosts, 3 there; host2: copying Lockstep, 4 of 11 MB".
    [[nodiscard]] std::string progress() const;

private:
    void open(std::size_t index, const OpenLink& openLink);

    std::vector<std::string> hosts_;
    std::stop_source cancel_;
    mutable Mutex mutex_;
    std::vector<Outcome> outcomes_ LS_GUARDED_BY(mutex_);
    std::string said_ LS_GUARDED_BY(mutex_);
    std::vector<std::jthread> threads_;
};

}  // namespace lockstep::launch
