// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string_view>
#include <vector>

namespace lockstep::train {

/// Where the evaluator tells the chief which checkpoint it has dealt with last.
inline constexpr std::string_view kScoredKey = "evaluator/scored";

/// The checkpoints that the evaluator has still to score, so that retention waits for it: as many
/// as have room in kMostBytes, at most kMostWaiting. Pure. One thread.
class UnscoredCheckpoints {
public:
    static constexpr std::size_t kMostWaiting = 64;
    static constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

    /// `present`: what lies there already and has not been scored, ascending.
    explicit UnscoredCheckpoints(const std::vector<std::int64_t>& present)
        : waiting_(present.begin(), present.end()) {}

    void committed(std::int64_t step, std::uint64_t bytes);
    /// The evaluator takes them in order: what was committed before `step` is dealt with, too.
    void scored(std::int64_t step);
    /// Nobody scores any more.
    void abandon() { waiting_.clear(); }
    /// What retention spares: the newest that are waiting.
    [[nodiscard]] std::set<std::int64_t> spared() const;
    /// Of the steps that were removed, those that nobody will score any more.
    [[nodiscard]] std::vector<std::int64_t> missed(const std::vector<std::int64_t>& removed);

private:
    std::deque<std::int64_t> waiting_;  ///< In the order in which they were committed.
    std::uint64_t bytes_ = 0;           ///< Of the newest.
};

}  // namespace lockstep::train
