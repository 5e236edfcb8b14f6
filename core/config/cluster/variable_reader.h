// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/environment.h"
#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"

namespace lockstep::config {

/// Reads the variables of one source. A variable that is not set says nothing; one that is wrong
/// says nothing either and leaves its error, of which the first counts.
class VariableReader {
public:
    /// `environment` outlives the reader. `remedy` is the way out of a wrong value; empty: "Set
    /// NAME to …, or unset it."
    VariableReader(const Environment& environment, OriginKind kind, std::string remedy = {});

    [[nodiscard]] bool has(std::string_view name) const { return environment_.has(name); }
    /// Trimmed; an empty value is an error.
    [[nodiscard]] Said<std::string> text(std::string_view name);
    [[nodiscard]] Said<int> integer(std::string_view name, int minimum, int maximum);
    /// A count of processes: from 1.
    [[nodiscard]] Said<int> processCount(std::string_view name);
    /// A process id: from 0.
    [[nodiscard]] Said<int> processId(std::string_view name);
    [[nodiscard]] Said<Address> address(std::string_view name);
    [[nodiscard]] Said<std::vector<Address>> addresses(std::string_view name);
    /// "0,1,…", different ones.
    [[nodiscard]] Said<std::vector<int>> deviceIds(std::string_view name);

    /// `NAME is "VALUE", but REASON` with the reader's remedy, or `remedy` where it has none.
    void refuse(std::string_view name, std::string_view reason, std::string remedy);
    void refuse(Error error);

    /// The first error, if there was one.
    [[nodiscard]] const std::optional<Error>& problem() const { return problem_; }
    /// The facts, or the first error.
    [[nodiscard]] Result<ClusterFacts> finish(ClusterFacts facts) const;

    /// A value and where it comes from.
    template <typename T>
    [[nodiscard]] Said<T> said(T value, std::string_view name) const {
        return Sourced<T>{std::move(value), {kind_, std::string(name)}};
    }

private:
    const Environment& environment_;
    OriginKind kind_;
    std::string remedy_;
    std::optional<Error> problem_;
};

}  // namespace lockstep::config
