// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/distribution/process_group.h"
#include "core/job/epoch_figures.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// What the processes of a group tell each other about one call of fit(), over the group's
/// authenticated connections: process 0 invites the others to its run, or refuses, and tells them
/// how it ended. Calls are numbered: every process makes one of these for each of them, whatever
/// becomes of it, so that all mean the same call. Without a group there is nobody to tell.
class FitExchange {
public:
    explicit FitExchange(std::shared_ptr<distribution::ProcessGroup> group);

    [[nodiscard]] distribution::ProcessGroup* group() const { return group_.get(); }

    // Process 0:

    /// Keeps room for the end, which must not find the store full.
    [[nodiscard]] Result<void> begin();
    [[nodiscard]] Result<void> invite(const std::string& user, const wire::WorkerConfig& config);
    /// The others get an empty invitation, and `error` as the end; returned as it came. In any
    /// other process it only returns it.
    tl::unexpected<Error> refuse(const Error& error);
    /// BadInput where the store cannot take it: the others then get that as the end.
    [[nodiscard]] Result<void> tellEnd(const wire::RunEnd& end,
                                       const std::vector<EpochFigures>& epochs);

    /// Of all who have trained, when they know how it ended: none goes on before the others know,
    /// too, for the group ends with process 0's program.
    void leaveTogether();

    // All others; errors as ProcessGroup::get() has them:

    /// Empty (no run id) where process 0 has refused.
    [[nodiscard]] Result<wire::WorkerConfig> invitation(const std::string& user, Nanos timeout);
    struct End {
        wire::RunEnd run;
        std::vector<EpochFigures> epochs;
    };
    [[nodiscard]] Result<End> end(Nanos timeout);

private:
    [[nodiscard]] bool isFirst() const;
    [[nodiscard]] Result<void> set(const std::string& key, const std::string& value);
    [[nodiscard]] Result<void> tellAll(const wire::RunEnd& end,
                                       const std::vector<EpochFigures>& epochs);
    [[nodiscard]] Result<void> forgetFormer();
    template <typename Message>
    [[nodiscard]] Result<Message> receive(const std::string& key, Nanos timeout);

    std::shared_ptr<distribution::ProcessGroup> group_;
    std::uint64_t number_ = 0;
    std::string prefix_;
};

}  // namespace lockstep::job
