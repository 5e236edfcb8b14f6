// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// The run begins, or begins again: what its replicas tell from now on is of another start.
[[nodiscard]] bool beginsAgain(const wire::Record& record);

/// What a record says of steps that are told, or will be told again; nothing, as most do.
struct StepNews {
    struct Told {
        std::uint32_t replica = 0;
        std::int64_t first = 0;
        std::int64_t last = 0;
    };
    bool beginsAgain = false;
    std::optional<std::int64_t> runStart{};  ///< Steps behind this one will be trained.
    std::optional<Told> told{};
};
[[nodiscard]] StepNews stepNewsOf(const wire::Record& record);

/// By replica, the newest step that a journal tells, of the records that go into it, one by one:
/// what a replica that goes on from memory still has to tell.
class JournalledSteps {
public:
    static constexpr std::int64_t kUnknown = -1;

    /// `before`: the newest step of a replica that no record has told yet.
    explicit JournalledSteps(std::int64_t before = kUnknown) : before_(before) {}

    void take(const wire::Record& record) { take(stepNewsOf(record)); }
    void take(const StepNews& news);
    /// Of replicas 0 to `replicas` - 1.
    [[nodiscard]] std::vector<std::int64_t> newest(std::size_t replicas) const;

private:
    struct Replica {
        std::int64_t newest = kUnknown;
        bool hasTold = false;  ///< Since the run has begun or begun again.
    };

    std::int64_t before_;
    std::map<std::uint32_t, Replica> replicas_;  ///< Who has told any.
};

}  // namespace lockstep::telemetry
