// SPDX-License-Identifier: Apache-2.0
#include "core/fit/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "core/base/bounded_queue.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/data/sample_order.h"
#include "core/fit/element_file.h"

namespace lockstep::fit {

namespace {

using Reader = DatasetIterator::Reader;
using Next = Result<std::optional<Element>>;
using ReaderPointer = std::unique_ptr<Reader>;

Result<std::vector<Element>> allOf(Reader& reader) {
    std::vector<Element> elements;
    while (true) {
        auto element = TRY(reader.next());
        if (!element) return elements;
        elements.push_back(std::move(*element));
    }
}

/// Elements that are all there.
class ListReader final : public Reader {
public:
    explicit ListReader(std::vector<Element> elements) : elements_(std::move(elements)) {}
    Next next() override {
        if (taken_ == elements_.size()) return std::nullopt;
        return std::optional(std::move(elements_[taken_++]));
    }

private:
    std::vector<Element> elements_;
    std::size_t taken_ = 0;
};

class TensorReader final : public Reader {
public:
    explicit TensorReader(const Element& tensors) : tensors_(tensors) {}
    Next next() override {
        if (row_ == tensors_.x.rows()) return std::nullopt;
        Element element{tensors_.x.row(row_)};
        if (!tensors_.y.isEmpty()) element.y = tensors_.y.row(row_);
        ++row_;
        return std::optional(std::move(element));
    }

private:
    const Element tensors_;
    std::uint64_t row_ = 0;
};

class MapReader final : public Reader {
public:
    MapReader(ReaderPointer before, Dataset::Function function)
        : before_(std::move(before)), function_(std::move(function)) {}
    Next next() override {
        auto element = TRY(before_->next());
        if (!element) return std::nullopt;
        auto mapped = function_(*element);
        if (!mapped) return fail(std::move(mapped).error());
        return std::optional(std::move(*mapped));
    }

private:
    const ReaderPointer before_;
    const Dataset::Function function_;
};

/// All elements are taken in at once: they are views of tensors, and the order is decided by all.
class ShuffleReader final : public Reader {
public:
    ShuffleReader(ReaderPointer before, const Stage& stage, const Iteration& iteration)
        : before_(std::move(before)),
          seed_(stage.shuffle.seed.value_or(iteration.seed.value_or(stage.drawnSeed))),
          order_{.buffer = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                     stage.count, std::numeric_limits<std::uint32_t>::max())),
                 .eachEpoch = stage.shuffle.reshuffleEachIteration},
          iteration_(iteration.number) {}
    Next next() override {
        if (before_) {
            elements_ = TRY(allOf(*before_));
            before_.reset();
            places_ = data::sampleOrder(static_cast<std::uint32_t>(elements_.size()), seed_,
                                        iteration_, order_);
        }
        if (taken_ == places_.size()) return std::nullopt;
        return std::optional(std::move(elements_[places_[taken_++]]));
    }

private:
    ReaderPointer before_;
    const std::uint64_t seed_;
    const data::SampleOrder order_;
    const std::int64_t iteration_;
    std::vector<Element> elements_;
    std::vector<std::uint32_t> places_;
    std::size_t taken_ = 0;
};

class BatchReader final : public Reader {
public:
    BatchReader(ReaderPointer before, const Stage& stage)
        : before_(std::move(before)), size_(stage.count), dropRemainder_(stage.dropRemainder) {}
    Next next() override {
        std::vector<Tensor> x;
        std::vector<Tensor> y;
        while (x.size() < size_) {
            auto element = TRY(before_->next());
            if (!element) break;
            x.push_back(std::move(element->x));
            if (!element->y.isEmpty()) y.push_back(std::move(element->y));
        }
        if (x.empty() || (dropRemainder_ && x.size() < size_)) return std::nullopt;
        if (!y.empty() && y.size() != x.size())
            return fail(ErrorCode::BadInput, "some elements have targets, and others have none",
                        "Let map() give a target for every sample, or for none.");
        Element batch{TRY(Tensor::stack(x))};
        if (!y.empty()) batch.y = TRY(Tensor::stack(y, 1));
        return std::optional(std::move(batch));
    }

private:
    const ReaderPointer before_;
    const std::uint64_t size_;
    const bool dropRemainder_;
};

/// Keeps what it gives once it has given all.
class CachingReader final : public Reader {
public:
    CachingReader(ReaderPointer before, const Stage& stage)
        : before_(std::move(before)), file_(stage.file), kept_(stage.kept) {}
    Next next() override {
        auto element = TRY(before_->next());
        if (element) {
            seen_.push_back(*element);
            return element;
        }
        if (isKept_) return std::nullopt;
        isKept_ = true;
        if (!file_.empty()) TRY(writeElements(file_, seen_));
        const Lock lock(kept_->mutex);
        kept_->elements = std::move(seen_);
        kept_->areThere = true;
        return std::nullopt;
    }

private:
    const ReaderPointer before_;
    const std::filesystem::path file_;
    const std::shared_ptr<KeptElements> kept_;
    std::vector<Element> seen_;
    bool isKept_ = false;
};

class FailedReader final : public Reader {
public:
    explicit FailedReader(Error error) : error_(std::move(error)) {}
    Next next() override { return fail(error_); }

private:
    const Error error_;
};

ReaderPointer cacheReader(const std::shared_ptr<const Stage>& stage, const Iteration& iteration) {
    {
        const Lock lock(stage->kept->mutex);
        if (stage->kept->areThere) return std::make_unique<ListReader>(stage->kept->elements);
    }
    std::error_code error;
    if (!stage->file.empty() && std::filesystem::exists(stage->file, error)) {
        auto elements = readElements(stage->file);
        if (!elements) return std::make_unique<FailedReader>(elements.error());
        return std::make_unique<ListReader>(std::move(*elements));
    }
    return std::make_unique<CachingReader>(readerOf(stage->before, iteration), *stage);
}

/// A thread reads ahead, up to a number of elements.
class PrefetchReader final : public Reader {
public:
    PrefetchReader(ReaderPointer before, std::uint64_t elements)
        : before_(std::move(before)), queue_(elements) {
        thread_ = startThread("fit-prefetch", [this](const std::stop_token& stop) { read(stop); });
    }
    ~PrefetchReader() override {
        thread_.request_stop();
        queue_.close();
    }
    PrefetchReader(const PrefetchReader&) = delete;
    PrefetchReader& operator=(const PrefetchReader&) = delete;

    Next next() override {
        if (isOver_) return std::nullopt;
        std::optional<Next> one;
        while (!one)
            one = queue_.take(std::chrono::hours(1));
        isOver_ = !*one || !**one;
        return std::move(*one);
    }

private:
    void read(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            Next one = before_->next();
            const bool isLast = !one || !*one;
            while (!queue_.pushWithin(one, std::chrono::seconds(1)))
                if (stop.stop_requested()) return;
            if (isLast) return;
        }
    }

    const ReaderPointer before_;
    BoundedQueue<Next> queue_;
    bool isOver_ = false;
    std::jthread thread_;
};

class ShardReader final : public Reader {
public:
    ShardReader(ReaderPointer before, const Stage& stage)
        : before_(std::move(before)), count_(stage.count), index_(stage.index) {}
    Next next() override {
        while (true) {
            auto element = TRY(before_->next());
            if (!element || place_++ % count_ == index_) return element;
        }
    }

private:
    const ReaderPointer before_;
    const std::uint64_t count_;
    const std::uint64_t index_;
    std::uint64_t place_ = 0;
};

}  // namespace

ReaderPointer readerOf(const std::shared_ptr<const Stage>& stage, const Iteration& iteration) {
    const auto before = [&] { return readerOf(stage->before, iteration); };
    switch (stage->kind) {
        case Stage::Kind::Tensors:
            return std::make_unique<TensorReader>(stage->tensors);
        case Stage::Kind::Map:
            return std::make_unique<MapReader>(before(), stage->function);
        case Stage::Kind::Shuffle:
            return std::make_unique<ShuffleReader>(before(), *stage, iteration);
        case Stage::Kind::Batch:
            return std::make_unique<BatchReader>(before(), *stage);
        case Stage::Kind::Cache:
            return cacheReader(stage, iteration);
        case Stage::Kind::Prefetch:
            return std::make_unique<PrefetchReader>(before(), stage->count);
        case Stage::Kind::Shard:
            break;
    }
    return std::make_unique<ShardReader>(before(), *stage);
}

Result<std::vector<Element>> elementsOf(const std::shared_ptr<const Stage>& stage,
                                        const Iteration& iteration) {
    const auto reader = readerOf(stage, iteration);
    return allOf(*reader);
}

}  // namespace lockstep::fit
