// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/launch/host/link_opener.h"
#include "core/launch/host/link_set.h"
#include "core/wire/messages/doctor.pb.h"

namespace lockstep::launch {

/// What a spare must have to take the place of a host.
struct SpareNeeds {
    wire::Examine examination;
    int gpus = 0;
    std::string runDir;               ///< Of the run, on process 0's host.
    std::vector<std::string> runIds;  ///< Of its starts: the folder is known by them.
    bool mustSeeRun = false;          ///< It shall host the coordinator.
    bool mayTakeCopy = false;         ///< Or it goes on from the copy that another host has.
};

/// What was found out about a spare.
struct SpareFacts {
    std::string host;
    std::string problem;     ///< Why it cannot take that place; empty: it can.
    bool seesRun = false;    ///< As far as can be told while it runs.
    bool lacksGpus = false;  ///< That is its problem: it may do for fewer processes.
};

/// Looks at spares one after the other, over links that are opened for it, on a thread of its own
/// ("spares"). Destruction gives up. Used by one thread.
class SpareSearch {
public:
    enum class Extent : std::uint8_t { UntilOneFits, All };

    SpareSearch(std::vector<std::string> spares, SpareNeeds needs, Extent extent,
                MakeLinks makeLinks);
    SpareSearch(const SpareSearch&) = delete;
    SpareSearch& operator=(const SpareSearch&) = delete;

    [[nodiscard]] bool isDone() const { return done_; }
    /// Those that were looked at, in order; once it is done.
    [[nodiscard]] std::vector<SpareFacts> take();
    /// "looking at spare gpu5".
    [[nodiscard]] std::string progress() const;

private:
    void run(const std::stop_token& stop);
    [[nodiscard]] SpareFacts lookAt(const std::string& host, const std::stop_token& stop) const;
    [[nodiscard]] Result<void> examine(LinkSet& links, SpareFacts& facts,
                                       const std::stop_token& stop) const;
    [[nodiscard]] Result<void> lookForRun(LinkSet& links, SpareFacts& facts,
                                          const std::stop_token& stop) const;
    [[nodiscard]] std::string problemOf(const wire::HostFacts& facts) const;
    [[nodiscard]] std::string gpusLacking(const wire::GpuFacts& gpu) const;

    const std::vector<std::string> spares_;
    const SpareNeeds needs_;
    const Extent extent_;
    const MakeLinks makeLinks_;
    mutable Mutex mutex_;
    std::string current_ LS_GUARDED_BY(mutex_);
    std::vector<SpareFacts> found_ LS_GUARDED_BY(mutex_);
    std::atomic<bool> done_{false};
    std::jthread thread_;  ///< The last: it ends before what it touches.
};

}  // namespace lockstep::launch
