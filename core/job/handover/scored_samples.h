// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/load_watch.h"
#include "core/job/fold/session.h"

namespace lockstep::job {

/// What a checkpoint was scored on.
struct ScoredSplit {
    std::filesystem::path runDir{};
    std::int64_t step = 0;
    std::string split{};  ///< validation | test.

    [[nodiscard]] bool operator==(const ScoredSplit&) const = default;
};

/// How the answers of two checkpoints differ.
enum class ScoredChange : std::uint8_t {
    Broken,  ///< Right before, wrong now.
    Mended,  ///< Wrong before, right now.
};

/// What a checkpoint says of every sample of a split, where an evaluation tells some of them. Holds
/// the split; immutable, for any thread.
class ScoredSamples {
public:
    struct Page {
        std::vector<EvaluationView::Sample> samples{};
        std::size_t first = 0;  ///< Place of the first one among
        std::size_t all = 0;    ///< so many.
        std::size_t wrong = 0;  ///< Of all of them.
    };

    virtual ~ScoredSamples() = default;
    /// Samples [first, first + count) of a cell of the confusion matrix, the hardest first (the
    /// smallest probability of their own class). `truth` and `prediction` -1: of all cells. Reads
    /// samples: not for a thread that must not wait.
    [[nodiscard]] virtual Page page(int truth, int prediction, std::size_t first,
                                    std::size_t count) const = 0;
    /// Likewise, of those alone that another checkpoint of the run, `before`, has answered
    /// otherwise.
    [[nodiscard]] virtual Page changed(const ScoredSamples& before, ScoredChange change, int truth,
                                       int prediction, std::size_t first,
                                       std::size_t count) const = 0;
    /// The places in the split of those that it takes for another class, in their order.
    [[nodiscard]] virtual const std::vector<std::uint32_t>& wrong() const = 0;
};

/// Reads the run's data and the checkpoint, and computes the whole split; `watch` hears of samples
/// that are read, then of those that are computed. NotFound where the checkpoint is gone, BadInput
/// where the run's task is not classes, or its data are others now; Cancelled once nobody waits.
[[nodiscard]] Result<std::shared_ptr<const ScoredSamples>> scoreSamples(
    const ScoredSplit& scored, const data::LoadWatch& watch);

}  // namespace lockstep::job
