// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/mutex.h"
#include "core/collective/store.h"
#include "core/wire/messages/member.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// Listens at `host`, tells the others where by `store`, and connects to each of those that the
/// question names and that do the same. Nothing of the question's own time is open ended: five
/// seconds at most, for which whoever comes later is answered, too. `report` is called once the
/// answer is known, before that.
void probeLinks(collective::Store& store, const wire::ProbeLinks& question, std::uint32_t process,
                const std::string& host, const std::function<void(wire::LinkReport)>& report,
                const std::stop_token& stop);

/// Answers the coordinator's question whom this process reaches, on a thread of its own: whoever
/// hears the question must go on.
class LinkProbe {
public:
    /// `probe`: answers a question, in a few seconds at most.
    using Probe = std::function<void(const wire::ProbeLinks&, const std::stop_token&)>;
    explicit LinkProbe(Probe probe) : probe_(std::move(probe)) {}

    /// Returns at once. Nothing new is begun while a former question is not answered.
    void begin(const wire::ProbeLinks& question);
    /// No question is answered any more: waits for one that is.
    void end();

private:
    const Probe probe_;
    std::atomic<bool> isBusy_{false};
    Mutex mutex_;
    bool isOver_ LS_GUARDED_BY(mutex_) = false;
    std::jthread thread_ LS_GUARDED_BY(mutex_);
};

}  // namespace lockstep::train
