// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/fit/tensor.h"

namespace lockstep::fit {

/// What a dataset gives one by one: a sample with its target, or behind batch() many of them, one
/// row each. A dataset without targets has empty `y`.
struct Element {
    Tensor x;
    Tensor y{};

    [[nodiscard]] bool operator==(const Element&) const = default;
};

struct Stage;

/// Goes through a dataset's elements once. Of one thread.
class DatasetIterator {
public:
    /// Where the elements come from.
    class Reader {
    public:
        virtual ~Reader() = default;
        /// Nothing behind the last element.
        [[nodiscard]] virtual Result<std::optional<Element>> next() = 0;
    };
    explicit DatasetIterator(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}

    /// The next element; nothing behind the last one. An error is what a stage or the user's
    /// function failed with, and the end: the next calls give it again.
    [[nodiscard]] Result<std::optional<Element>> next();

private:
    std::unique_ptr<Reader> reader_;
    std::optional<Error> failure_;
};

/// The order that Dataset::shuffle() gives.
struct ShuffleOptions {
    /// Fixes the order. Absent: fit() takes it from training.seed; an iteration of one's own draws
    /// one when shuffle() is called.
    std::optional<std::uint64_t> seed{};
    /// Every iteration has an order of its own; false: all have the first one's.
    bool reshuffleEachIteration = true;
};

/// Samples on their way to a model, as tf.data.Dataset has them: each call gives a dataset with one
/// more stage, which nothing is computed for until it is gone through. A value; copies share what
/// cache() keeps. A wrong call does not fail itself: whoever uses the dataset gets the first
/// error, of which check() tells.
class Dataset {
public:
    /// One sample for each row of `x` with its row of `y` (tf.data's from_tensor_slices). `x` is
    /// {samples, …}; `y` {samples} or {samples, values}: whole numbers, one a sample, are classes,
    /// all others values. Without `y` it can be predicted alone. BadInput, in tf.data's words,
    /// where the counts of rows differ, and for tensors without rows.
    [[nodiscard]] static Dataset fromTensors(Tensor x, Tensor y = Tensor());

    using Function = std::function<Result<Element>(const Element&)>;
    /// Each element as `function` gives it; its errors end the iteration. fit() calls it once for
    /// each sample, not once an epoch: it is to give the same for the same (random changes of
    /// images are data.augment's).
    [[nodiscard]] Dataset map(Function function) const;
    /// Each next element is drawn from the `buffer` that come next: 1 leaves the order, as many as
    /// there are elements (or more) make every order equally probable. BadInput for 0.
    [[nodiscard]] Dataset shuffle(std::uint64_t buffer, const ShuffleOptions& options = {}) const;
    /// `size` elements as one, of as many rows; the last has what is left, unless `dropRemainder`.
    /// In fit() of several replicas it is the global batch. BadInput for 0.
    [[nodiscard]] Dataset batch(std::uint64_t size, bool dropRemainder = false) const;
    /// Keeps what the first whole iteration has given, in memory or in a file of that name, and
    /// gives that from then on: also to another program, where the file is there already. What
    /// comes before is not looked at then: remove the file when it changes. Corrupt for a file
    /// that is damaged or of something else.
    [[nodiscard]] Dataset cache(std::filesystem::path file = {}) const;
    /// A thread prepares up to `elements` ahead. In fit(), behind batch(), as many batches
    /// (data.prefetch). BadInput for 0.
    [[nodiscard]] Dataset prefetch(std::uint64_t elements) const;
    /// Every `count`-th element, beginning with number `index` (from 0). BadInput, in tf.data's
    /// words, unless index is below count.
    [[nodiscard]] Dataset shard(std::uint64_t count, std::uint64_t index) const;
    /// How fit() shares the samples between several processes: Auto and Data (each keeps its part
    /// of every batch, which Auto comes to with a warning, since tensors are no files), Off (each
    /// sees every sample). File is BadInput in fit(): there are no files to deal out.
    /// (tf.data.Options.experimental_distribute.auto_shard_policy)
    [[nodiscard]] Dataset withAutoShard(config::AutoShard policy) const;

    /// The error of the first wrong call, if there was one.
    [[nodiscard]] Result<void> check() const;
    /// Goes through it. Iterations are counted by each dataset, from 0: the count decides the order
    /// that shuffle() gives. `iteration`: this one instead, so that an order can be had again.
    [[nodiscard]] Result<DatasetIterator> iterate(std::optional<std::int64_t> iteration = {}) const;

    [[nodiscard]] const std::shared_ptr<const Stage>& stage() const { return stage_; }
    [[nodiscard]] config::AutoShard autoShard() const { return autoShard_; }

private:
    Dataset() = default;
    [[nodiscard]] Dataset with(Stage stage, std::optional<Error> problem = {}) const;

    std::shared_ptr<const Stage> stage_;
    std::optional<Error> problem_;
    config::AutoShard autoShard_ = config::AutoShard::Auto;
};

}  // namespace lockstep::fit
