// SPDX-License-Identifier: Apache-2.0
#include "core/fit/dataset.h"

#include <fmt/format.h>

#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/fit/stage.h"

namespace lockstep::fit {

namespace {

std::optional<Error> problemOfTensors(const Tensor& x, const Tensor& y) {
    if (x.shape().empty() || x.isEmpty())
        return Error{ErrorCode::BadInput,
                     fmt::format("fromTensors(): x is {}, which has no samples", x.text()),
                     "Its first dimension counts the samples."};
    if (!y.isEmpty() && y.rows() != x.rows())
        return Error{ErrorCode::BadInput,
                     fmt::format("fromTensors(): Dimensions {} and {} are not compatible: x has as "
                                 "many samples, y as many targets",
                                 x.rows(), y.rows()),
                     "Give each sample its target."};
    return std::nullopt;
}

std::optional<Error> zero(const char* call, std::uint64_t number) {
    if (number > 0) return std::nullopt;
    return Error{ErrorCode::BadInput, fmt::format("{}: 0 was given, which is too few", call),
                 "Give 1 or more."};
}

}  // namespace

Result<std::optional<Element>> DatasetIterator::next() {
    if (failure_) return fail(*failure_);
    auto element = reader_->next();
    if (!element) failure_ = element.error();
    return element;
}

Dataset Dataset::with(Stage stage, std::optional<Error> problem) const {
    Dataset dataset = *this;
    stage.before = stage_;
    dataset.stage_ = std::make_shared<const Stage>(std::move(stage));
    if (!dataset.problem_) dataset.problem_ = std::move(problem);
    return dataset;
}

Dataset Dataset::fromTensors(Tensor x, Tensor y) {
    auto problem = problemOfTensors(x, y);
    return Dataset().with({.kind = Stage::Kind::Tensors, .tensors = {std::move(x), std::move(y)}},
                          std::move(problem));
}

Dataset Dataset::map(Function function) const {
    std::optional<Error> problem;
    if (!function)
        problem = Error{ErrorCode::BadInput, "map(): no function was given", "Give one."};
    return with({.kind = Stage::Kind::Map, .function = std::move(function)}, std::move(problem));
}

Dataset Dataset::shuffle(std::uint64_t buffer, const ShuffleOptions& options) const {
    return with({.kind = Stage::Kind::Shuffle,
                 .count = buffer,
                 .shuffle = options,
                 .drawnSeed = newIncarnation() >> 1U},
                zero("shuffle()", buffer));
}

Dataset Dataset::batch(std::uint64_t size, bool dropRemainder) const {
    return with({.kind = Stage::Kind::Batch, .count = size, .dropRemainder = dropRemainder},
                zero("batch()", size));
}

Dataset Dataset::cache(std::filesystem::path file) const {
    return with({.kind = Stage::Kind::Cache,
                 .file = std::move(file),
                 .kept = std::make_shared<KeptElements>()});
}

Dataset Dataset::prefetch(std::uint64_t elements) const {
    return with({.kind = Stage::Kind::Prefetch, .count = elements}, zero("prefetch()", elements));
}

Dataset Dataset::shard(std::uint64_t count, std::uint64_t index) const {
    std::optional<Error> problem;
    if (index >= count)
        problem = Error{ErrorCode::BadInput,
                        fmt::format("shard(): Index must be between 0 and {} (currently index = "
                                    "{})",
                                    count > 0 ? count - 1 : 0, index),
                        "Each of the shards has a number below their count."};
    return with({.kind = Stage::Kind::Shard, .count = count, .index = index}, std::move(problem));
}

Dataset Dataset::withAutoShard(config::AutoShard policy) const {
    Dataset dataset = *this;
    dataset.autoShard_ = policy;
    return dataset;
}

Result<void> Dataset::check() const {
    return problem_ ? Result<void>(fail(*problem_)) : Result<void>();
}

Result<DatasetIterator> Dataset::iterate(std::optional<std::int64_t> iteration) const {
    TRY(check());
    const std::int64_t number = iteration ? *iteration : (*stage_->iterations)++;
    return DatasetIterator(readerOf(stage_, {.number = number}));
}

}  // namespace lockstep::fit
