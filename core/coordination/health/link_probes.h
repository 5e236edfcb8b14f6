// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/health/link_facts.h"
#include "core/coordination/health/verdict.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// Has the workers try each other where all of them wait and nobody is known to stand still: once
/// while the trouble lasts, not again within a while, and of a large job a part. Heartbeats go to
/// the coordinator: they tell nothing of the network between two workers. No clock, no thread.
class LinkProbes {
public:
    static constexpr std::size_t kMostAsked = 32;  ///< Each tries all others.

    /// The trouble at `now`, or none, and the workers that are there, ascending. Gives the question
    /// for those whom it names, where it is to be asked now.
    [[nodiscard]] std::optional<wire::ProbeLinks> update(const std::optional<Finding>& finding,
                                                         const std::vector<std::uint32_t>& workers,
                                                         Nanos now);
    /// What a worker has found.
    void take(std::uint32_t process, const wire::LinkReport& report);
    /// Other processes run now.
    void reset();
    /// What the last question has brought; nothing while answers are missing that may still come.
    [[nodiscard]] const LinkFacts& facts() const { return facts_; }

private:
    [[nodiscard]] bool isAnswered(Nanos now) const;
    void conclude();

    std::uint32_t number_ = 0;
    std::string subject_;  // of the trouble that was asked about last
    std::optional<Nanos> askedAt_;
    bool isOpen_ = false;
    bool askedAll_ = true;
    std::set<std::uint32_t> asked_;
    std::set<std::uint32_t> answered_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, bool> reaches_;  // from, to
    LinkFacts facts_;
};

}  // namespace lockstep::coordination
