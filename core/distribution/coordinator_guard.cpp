// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/coordinator_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/base/loop_watch.h"
#include "core/base/thread.h"
#include "core/coordination/state/sentences.h"

namespace lockstep::distribution {

namespace {

constexpr Millis kLook{100};
constexpr std::chrono::seconds kStandstillSaid{3};
constexpr std::chrono::seconds kShortestStandstill{5};  ///< A busy machine may look like one.

}  // namespace

CoordinatorGuard::CoordinatorGuard(const coordination::Coordinator& coordinator, std::string whose,
                                   Nanos heartbeatTimeout,
                                   std::function<void(const std::string&)> onLost)
    : coordinator_(coordinator),
      whose_(std::move(whose)),
      giveUpAfter_(std::max<Nanos>(kShortestStandstill, heartbeatTimeout * 3 / 4)),
      onLost_(std::move(onLost)),
      thread_(startThread("coord-watch", [this](const std::stop_token& stop) { watch(stop); })) {}

void CoordinatorGuard::watch(const std::stop_token& stop) {
    LoopWatch loop(kStandstillSaid, giveUpAfter_);
    for (; !stop.stop_requested(); std::this_thread::sleep_for(kLook)) {
        const LoopWatch::Step step = loop.look(coordinator_.lastTurn(), SteadyClock::read());
        if (step == LoopWatch::Step::GoOn) continue;
        const std::string words = fmt::format("the coordinator's thread has not run for {}",
                                              coordination::secondsText(loop.stood()));
        if (step == LoopWatch::Step::GiveUp) return onLost_(whose_ + ": " + words);
        std::fprintf(stderr, "warning: %s\n", words.c_str());
    }
}

}  // namespace lockstep::distribution
