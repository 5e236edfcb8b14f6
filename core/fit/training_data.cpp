// SPDX-License-Identifier: Apache-2.0
#include "core/fit/training_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/fit/stage.h"

namespace lockstep::fit {

namespace {

using Kind = Stage::Kind;
using Stages = std::vector<std::shared_ptr<const Stage>>;

constexpr std::uint64_t kMostPrefetched = 4096;  ///< Of data.prefetch.

tl::unexpected<Error> misplaced(const char* what, const char* remedy) {
    return fail(ErrorCode::BadInput, fmt::format("fit(): {}", what), remedy);
}

/// From the tensors on.
Stages stagesOf(const Dataset& dataset) {
    Stages stages;
    for (auto stage = dataset.stage(); stage; stage = stage->before)
        stages.push_back(stage);
    std::ranges::reverse(stages);
    return stages;
}

std::size_t batchesIn(std::span<const std::shared_ptr<const Stage>> stages) {
    return static_cast<std::size_t>(
        std::ranges::count(stages, Kind::Batch, [](const auto& stage) { return stage->kind; }));
}

/// Samples, or whole batches, as rows.
Result<Element> asRows(const std::vector<Element>& elements, bool areBatches) {
    std::vector<Tensor> x;
    std::vector<Tensor> y;
    for (const Element& element : elements) {
        x.push_back(element.x);
        if (!element.y.isEmpty()) y.push_back(element.y);
    }
    if (x.empty())
        return fail(ErrorCode::BadInput, "the dataset has no samples",
                    "Give it some, or a smaller batch where the remainder is dropped.");
    if (!y.empty() && y.size() != x.size())
        return fail(ErrorCode::BadInput, "some elements have targets, and others have none",
                    "Let map() give a target for every sample, or for none.");
    Element rows{TRY(areBatches ? Tensor::concatenate(x) : Tensor::stack(x))};
    if (!y.empty()) rows.y = TRY(areBatches ? Tensor::concatenate(y) : Tensor::stack(y, 1));
    return rows;
}

/// What comes behind the last cache(), one stage after the other.
class Lowering {
public:
    Result<void> begin(std::vector<Element> elements, std::uint64_t batch) {
        elements_ = std::move(elements);
        data_.batch = batch;
        isKept_ = batch > 0;
        return {};
    }
    Result<void> add(const Stage& stage) {
        switch (stage.kind) {
            case Kind::Tensors:
            case Kind::Cache:
                return {};  // taken in before
            case Kind::Map:
                return map(stage);
            case Kind::Shuffle:
                return shuffle(stage);
            case Kind::Batch:
                return batch(stage);
            case Kind::Shard:
                return shard(stage);
            case Kind::Prefetch:
                break;
        }
        prefetched_ = stage.count;
        isOfBatches_ = data_.batch > 0;
        return {};
    }
    Result<TrainingData> end() {
        if (data_.batch == 0)
            return fail(ErrorCode::BadInput,
                        "The batch size of the input dataset is unknown. Please config the batch "
                        "size for the input dataset, e.g via `dataset.batch(batch_size)`",
                        "It is the global batch, of all replicas together.");
        data_.samples = TRY(asRows(elements_, isKept_));
        if (data_.samples.y.isEmpty())
            return fail(ErrorCode::BadInput, "fit(): the dataset has no targets",
                        "Give them to fromTensors(x, y).");
        const std::uint64_t batches =
            isOfBatches_ ? prefetched_ : (prefetched_ + data_.batch - 1) / data_.batch;
        data_.prefetch = static_cast<int>(std::min(batches, kMostPrefetched));
        return std::move(data_);
    }
    void shuffleIsLeft() { data_.shuffle.buffer = 1; }

private:
    Result<void> map(const Stage& stage) {
        if (data_.batch > 0)
            return misplaced("map() stands behind batch(), and batches are made anew each epoch",
                             "Call map() before batch().");
        for (Element& element : elements_) {
            auto mapped = stage.function(element);
            if (!mapped) return fail(std::move(mapped).error());
            element = std::move(*mapped);
        }
        return {};
    }
    Result<void> shuffle(const Stage& stage) {
        if (stage.count == 1) return {};
        if (data_.batch > 0)
            return misplaced(
                "shuffle() stands behind batch(): it would leave the same samples "
                "together",
                "Call shuffle() before batch().");
        if (isShuffled_)
            return misplaced("shuffle() is called twice", "Call it once, with a larger buffer.");
        isShuffled_ = true;
        data_.shuffle = {.buffer = stage.count >= elements_.size()
                                       ? config::ShuffleSpec::kAllSamples
                                       : static_cast<int>(stage.count),
                         .eachEpoch = stage.shuffle.reshuffleEachIteration,
                         .seed = stage.shuffle.seed};
        return {};
    }
    Result<void> batch(const Stage& stage) {
        if (data_.batch > 0)
            return misplaced("batch() is called twice", "Call it once, with the global batch.");
        if (stage.count > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
            return misplaced("batch() is called with more samples than a batch may have",
                             "Give a smaller batch.");
        data_.batch = stage.count;
        data_.dropRemainder = stage.dropRemainder;
        return {};
    }
    Result<void> shard(const Stage& stage) {
        if (data_.batch > 0 || isShuffled_)
            return misplaced(
                "shard() stands behind shuffle() or batch(): which samples it takes "
                "would differ from epoch to epoch",
                "Call shard() first.");
        std::vector<Element> taken;
        for (std::uint64_t i = stage.index; i < elements_.size(); i += stage.count)
            taken.push_back(std::move(elements_[i]));
        elements_ = std::move(taken);
        return {};
    }

    std::vector<Element> elements_;
    TrainingData data_;
    std::uint64_t prefetched_ = 0;
    bool isOfBatches_ = false;
    bool isKept_ = false;  ///< As whole batches, by a cache() behind batch().
    bool isShuffled_ = false;
};

/// Of whole batches that were kept: the size of all but the last.
Result<std::uint64_t> batchOf(const std::vector<Element>& batches) {
    for (std::size_t i = 0; i + 1 < batches.size(); ++i)
        if (batches[i].x.rows() != batches[0].x.rows())
            return misplaced("the batches that cache() has kept differ in size",
                             "Call map() before batch().");
    return batches.empty() ? std::uint64_t{0} : batches[0].x.rows();
}

/// What is the same in every epoch: as it came in the first. 0: nothing is kept.
std::size_t stagesToLastCache(const Stages& stages) {
    const auto lastCache = std::ranges::find(stages.rbegin(), stages.rend(), Kind::Cache,
                                             [](const auto& stage) { return stage->kind; });
    return static_cast<std::size_t>(stages.rend() - lastCache);
}

/// The same dataset without what only moves samples, or leaves some out, behind its last cache().
std::shared_ptr<const Stage> inOrder(const Stages& stages) {
    const std::size_t kept = stagesToLastCache(stages);
    std::shared_ptr<const Stage> last;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const bool isMove = stages[i]->kind == Kind::Shuffle || stages[i]->kind == Kind::Prefetch;
        if (i < kept) {
            last = stages[i];
        } else if (!isMove) {
            Stage copy = *stages[i];
            copy.before = last;
            copy.dropRemainder = false;
            last = std::make_shared<const Stage>(std::move(copy));
        }
    }
    return last;
}

}  // namespace

Result<TrainingData> trainingDataOf(const Dataset& dataset, std::optional<std::uint64_t> seed) {
    TRY(dataset.check());
    const Stages stages = stagesOf(dataset);
    const std::size_t kept = std::max(stagesToLastCache(stages), std::size_t{1});
    const std::span<const std::shared_ptr<const Stage>> all(stages);
    const std::size_t batches = batchesIn(all.first(kept));
    if (batches > 1)
        return misplaced("batch() is called twice", "Call it once, with the global batch.");
    auto elements = TRY(elementsOf(stages[kept - 1], {.seed = seed}));
    const std::uint64_t batch = batches == 1 ? TRY(batchOf(elements)) : 0;
    Lowering lowering;
    lowering.shuffleIsLeft();
    TRY(lowering.begin(std::move(elements), batch));
    for (const auto& stage : all.subspan(kept))
        TRY(lowering.add(*stage));
    return lowering.end();
}

Result<Element> samplesOf(const Dataset& dataset, std::optional<std::uint64_t> seed) {
    TRY(dataset.check());
    const Stages stages = stagesOf(dataset);
    const std::size_t batches = batchesIn(stages);
    if (batches > 1) return fail(ErrorCode::BadInput, "batch() is called twice", "Call it once.");
    return asRows(TRY(elementsOf(inOrder(stages), {.seed = seed})), batches == 1);
}

Result<void> takeClasses(config::LossKind loss, Tensor& y) {
    constexpr double kMostClasses = 65'536;
    if (loss != config::LossKind::SparseCategoricalCrossEntropy || !data::isFloat(y.type()))
        return {};
    std::vector<std::int64_t> classes(y.elements());
    for (std::uint64_t i = 0; i < classes.size(); ++i) {
        const double label = y.at(i);
        if (!(label >= 0 && label < kMostClasses) || std::floor(label) != label)
            return fail(ErrorCode::BadInput,
                        fmt::format("the loss is \"sparse_categorical_crossentropy\", which takes "
                                    "classes, and target {} is {}",
                                    i, label),
                        "Give whole numbers from 0.");
        classes[i] = static_cast<std::int64_t>(label);
    }
    y = TRY(Tensor::make(classes, y.shape()));
    return {};
}

std::string hashOf(const Element& samples) {
    ContentHash hash;
    for (const Tensor* tensor : {&samples.x, &samples.y}) {
        hash.add(tensor->text() + "\n");
        const auto& bytes = tensor->array().bytes;
        hash.add(std::as_bytes(std::span(bytes.data(), bytes.size())));
    }
    return hash.digits();
}

}  // namespace lockstep::fit
