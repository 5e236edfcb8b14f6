// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/distribution/device_mesh.h"
#include "core/fit/distributed_tensor.h"
#include "core/fit/tensor.h"

namespace lockstep::fit {

/// A tensor that all processes have whole and alike, or one that they share.
using KeptTensor = std::variant<Tensor, DistributedTensor>;
using KeptTensors = std::map<std::string, KeptTensor>;
/// How tensors are to lie when they come back, by their names.
using TensorLayouts = std::map<std::string, distribution::TensorLayout>;

/// How checkpoints are kept.
struct CheckpointsOptions {
    /// Checkpoints; those saved before make way for a new one. Of a program that went back to an
    /// earlier step the first to go are those of later steps.
    int keep = 3;
    /// How long the processes wait for each other, in each call: the slowest one's disk, and more.
    double timeoutSeconds = 300;
};

/// What loadNewest() found.
struct LoadedTensors {
    std::int64_t step = 0;
    KeptTensors tensors;
    std::vector<std::string> passedOver;  ///< Newer ones that are damaged, a sentence each.
};

/// Checkpoints of a program's own tensors, which the processes of initialize()'s group write
/// together: each the parts of its devices, as shards that PyTorch's distributed checkpoints read
/// (`step-N/model/`). One is there when all have written, with checksums of every byte, or not at
/// all, whichever process dies when. They are loaded on any number of processes, in any layouts,
/// and each process reads only what its devices hold. (what jax.distributed is used for by Orbax'
/// CheckpointManager)
///
///     auto checkpoints = Checkpoints::open("/shared/checkpoints");
///     checkpoints->save(100, {{"w", w}, {"w/momentum", momentum}});
///     const auto found = checkpoints->loadNewest({{"w", layout}, {"w/momentum", layout}});
///
/// All processes of the group (but the evaluator) make these calls, in the same order, each from
/// one thread; without a group a process is all there are. What one of them cannot do is an error
/// in all, with its number. Errors besides: those of distribution::allGather().
class Checkpoints {
public:
    /// In a folder that all processes see; process 0 makes it. BadInput where one of them does not
    /// see it or may not write there. Unavailable where somebody else writes there.
    [[nodiscard]] static Result<Checkpoints> open(const std::filesystem::path& folder,
                                                  const CheckpointsOptions& options = {});

    /// Durable in the end, and the newest, whatever its step; one of that step is replaced. Names
    /// are UTF-8; a shape has at most 8 dimensions. BadInput where they are not, where the
    /// processes bring different tensors, or other numbers of a part that several devices hold, or
    /// a negative step; Io and NoRoom of a disk, Unavailable where memory is short.
    [[nodiscard]] Result<void> save(std::int64_t step, const KeptTensors& tensors);

    /// Ascending, as process 0 sees them; damaged ones included.
    [[nodiscard]] Result<std::vector<std::int64_t>> steps() const;

    /// Those tensors that `layouts` names as it says, each process the parts of its own devices;
    /// all others whole in every process. NotFound where there is no such checkpoint, Corrupt names
    /// the damaged file; BadInput for a name that is none, and as distribution::partOf();
    /// Unavailable where memory is short.
    [[nodiscard]] Result<KeptTensors> load(std::int64_t step,
                                           const TensorLayouts& layouts = {}) const;
    /// load() of the one that was saved last among those that no process finds damaged; nothing
    /// where there is none at all. Corrupt where there are some and none is good; every other error
    /// ends it, in all processes.
    [[nodiscard]] Result<std::optional<LoadedTensors>> loadNewest(
        const TensorLayouts& layouts = {}) const;

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    Checkpoints(std::filesystem::path folder, const CheckpointsOptions& options)
        : folder_(std::move(folder)), options_(options) {}
    [[nodiscard]] Result<void> look();
    [[nodiscard]] Result<std::vector<std::int64_t>> newestFirst() const;
    [[nodiscard]] Result<KeptTensors> read(std::int64_t step, const TensorLayouts& layouts) const;

    std::filesystem::path folder_;
    CheckpointsOptions options_;
    std::optional<checkpoint::CheckpointStore> store_;  ///< Of process 0, which commits.
};

}  // namespace lockstep::fit
