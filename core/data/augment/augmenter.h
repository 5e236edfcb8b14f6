// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/augmentation_spec.h"
#include "core/data/augment/draws.h"
#include "core/data/augment/image_view.h"

namespace lockstep::data {

/// A sample of an epoch, and those of the step it is trained in: of all replicas, in their order.
struct SamplePlace {
    std::int64_t epoch = 0;
    std::uint32_t sample = 0;  ///< Of the training set.
    std::span<const std::uint32_t> globalBatch{};
};

/// What a sample is answered with when another one was mixed into it: its own class for `share`,
/// that of `partner` for the rest.
struct Mixture {
    std::uint32_t partner = 0;  ///< A sample of the training set.
    float share = 1;            ///< 1: nothing was mixed in.
};

/// The random changes of a job's training images. Each is a pure function of (seed, epoch, sample)
/// and, where samples are mixed, of the global batch: the same pixels on any number of replicas,
/// and after a resume anywhere. Immutable; any thread may use it, each with a Workspace of its own.
class Augmenter {
public:
    /// Gives the pixels of a sample of the training set.
    using ReadImage = std::function<std::span<const std::uint8_t>(std::uint32_t)>;
    /// Memory for images under way.
    struct Workspace {
        std::array<std::vector<std::uint8_t>, 2> own;
        std::array<std::vector<std::uint8_t>, 2> partners;
    };

    /// `seed`: the job's. BadInput when the changes do not give images of the shape they get.
    [[nodiscard]] static Result<Augmenter> make(std::vector<config::AugmentationSpec> changes,
                                                const ImageShape& shape, std::uint64_t seed);

    /// Whether samples get shares of two classes.
    [[nodiscard]] bool mixesSamples() const;
    /// The sample as the network gets it, into `out`, which has shape().bytes().
    Mixture apply(const SamplePlace& place, const ReadImage& read, Workspace& workspace,
                  std::uint8_t* out) const;
    [[nodiscard]] const ImageShape& shape() const { return shape_; }

private:
    /// A change with the shapes before and behind it.
    struct Change {
        config::AugmentationSpec spec;
        ImageShape from;
        ImageShape to;
    };
    class Run;

    Augmenter(std::vector<Change> changes, const ImageShape& shape, std::uint64_t seed)
        : changes_(std::move(changes)), shape_(shape), seed_(seed) {}

    std::vector<Change> changes_;
    ImageShape shape_;
    std::uint64_t seed_;
};

}  // namespace lockstep::data
