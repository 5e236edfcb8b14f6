// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/base/mutex.h"
#include "core/coordination/client/client.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::launch {

/// What the coordinator's client tells from its thread, for the agent's own.
class AgentInbox {
public:
    struct News {
        std::optional<std::uint32_t> generation;
        std::optional<wire::RunEnd> runOver;
        std::optional<std::string> lost;
        bool aborted = false;
    };

    [[nodiscard]] coordination::ClientCallbacks callbacks() {
        return {
            .fillHeartbeat = {},
            .onAbort = [this](const std::string&,
                              int) { change([](News& n) { n.aborted = true; }); },
            .onStop = {},
            .onGeneration =
                [this](std::uint32_t generation) {
                    change([generation](News& n) { n.generation = generation; });
                },
            .onRunOver =
                [this](const wire::RunEnd& end) { change([&end](News& n) { n.runOver = end; }); },
            .onLost =
                [this](const std::string& cause) { change([&cause](News& n) { n.lost = cause; }); },
        };
    }
    [[nodiscard]] News take() {
        Lock lock(mutex_);
        return std::exchange(news_, {});
    }

private:
    template <typename Change>
    void change(const Change& how) {
        Lock lock(mutex_);
        how(news_);
    }

    Mutex mutex_;
    News news_ LS_GUARDED_BY(mutex_);
};

}  // namespace lockstep::launch
