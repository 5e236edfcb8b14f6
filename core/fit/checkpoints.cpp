// SPDX-License-Identifier: Apache-2.0
#include "core/fit/checkpoints.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/base/hash.h"
#include "core/base/record_clock.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/shard_index.h"
#include "core/distribution/initialize.h"
#include "core/distribution/process_state.h"
#include "core/distribution/tensor_part.h"
#include "core/fit/group_agreement.h"
#include "core/fit/kept_pieces.h"
#include "core/fit/part_owners.h"
#include "core/text/json.h"

namespace lockstep::fit {

namespace fs = std::filesystem;

using checkpoint::CheckpointStore;
using checkpoint::FileRecords;

namespace {

/// What a process does once all know the checkpoint's folder: its part. What all have written.
Result<FileRecords> writeTogether(const fs::path& folder, const KeptPieces& pieces,
                                  double timeoutSeconds) {
    const auto all = TRY(gatherOutcomes(writePieces(folder, pieces).map([](const FileRecords& own) {
        return checkpoint::encodeRecords(own);
    }),
                                        timeoutSeconds));
    FileRecords records;
    for (const std::string& own : all) {
        auto parsed = TRY(checkpoint::parseRecords(own));
        records.merge(parsed);
    }
    return records;
}

/// All processes of the group, as process 0's store sees who writes with it.
class GroupCrew final : public checkpoint::ShardCrew {
public:
    GroupCrew(const fs::path& folder, const KeptPieces& pieces, double timeoutSeconds)
        : folder_(folder), pieces_(pieces), timeoutSeconds_(timeoutSeconds) {}

    Result<void> order(const checkpoint::ShardOrder& order) override {
        isAsked_ = true;
        name_ = order.folder;
        auto heard = gatherTexts(name_, timeoutSeconds_);
        if (heard) return {};
        isLost_ = true;
        return fail(heard.error());
    }

    Result<FileRecords> collect() override {
        auto records = writeTogether(folder_ / name_, pieces_, timeoutSeconds_);
        isLost_ = !records && isOutOfStep(records.error());
        return records;
    }

    /// Whether the others have been told of a folder; else they still wait for one.
    [[nodiscard]] bool isAsked() const { return isAsked_; }
    /// Whether the group fell apart, so that nothing more can be told.
    [[nodiscard]] bool isLost() const { return isLost_; }

private:
    const fs::path& folder_;
    const KeptPieces& pieces_;
    const double timeoutSeconds_;
    std::string name_;
    bool isAsked_ = false;
    bool isLost_ = false;
};

Result<void> commit(CheckpointStore& store, std::int64_t step, const KeptPieces& pieces,
                    const CheckpointsOptions& options) {
    GroupCrew crew(store.folder(), pieces, options.timeoutSeconds);
    checkpoint::Snapshot snapshot;
    snapshot.state.step = step;
    snapshot.state.worldSize = distribution::processCount();
    snapshot.state.wallTime = recordSeconds();
    snapshot.isSharded = true;
    auto committed = store.commit(snapshot, &crew);
    if (crew.isLost()) return fail(committed.error());
    if (!crew.isAsked()) std::ignore = TRY(gatherTexts({}, options.timeoutSeconds));
    Result<void> done;
    if (!committed) done = fail(committed.error());
    if (done)
        // What has just been written is not read again, while the others wait.
        if (auto pruned = store.prune(options.keep, 0, {}, step); !pruned)
            done = failWithin(
                fmt::format("step {} is saved, but older ones could not be removed", step),
                pruned.error());
    return agreeOnOutcome(done, options.timeoutSeconds);
}

/// The part of everybody else.
Result<void> follow(const fs::path& folder, const KeptPieces& pieces,
                    const CheckpointsOptions& options) {
    const std::string name = TRY(gatherTexts({}, options.timeoutSeconds)).front();
    if (!name.empty()) {  // else process 0 could not begin
        const auto written = writeTogether(folder / name, pieces, options.timeoutSeconds);
        if (!written && isOutOfStep(written.error())) return fail(written.error());
    }
    return agreeOnOutcome({}, options.timeoutSeconds);  // process 0 says what came of it
}

/// What layouts ask for, among the tensors that there are.
Result<void> checkNames(const TensorLayouts& layouts, const checkpoint::ShardIndex& index) {
    for (const auto& [name, layout] : layouts) {
        if (index.tensors().contains(name)) continue;
        std::vector<std::string> names;
        for (const auto& [one, tensor] : index.tensors())
            names.push_back(one);
        return fail(ErrorCode::BadInput,
                    fmt::format("the checkpoint has no tensor {}; it has {}",
                                sanitizeLine(name, 80), sanitizeLine(joinWords(names), 400)));
    }
    return {};
}

/// Reads parts of one tensor.
class TensorReader {
public:
    TensorReader(checkpoint::ShardIndex& index, std::string name, NumberType type)
        : index_(index), name_(std::move(name)), type_(type) {
        for (const std::int64_t size : index_.tensors().at(name_).shape)
            shape_.push_back(static_cast<std::uint64_t>(size));
    }

    Result<Tensor> part(const distribution::TensorPart& part) {
        const checkpoint::Box box{{part.begin.begin(), part.begin.end()},
                                  {part.shape.begin(), part.shape.end()}};
        std::vector<std::uint8_t> bytes(
            static_cast<std::size_t>(checkpoint::elementsOf(box.shape)) * data::bytesOf(type_));
        TRY(index_.readBox(name_, box, std::as_writable_bytes(std::span(bytes))));
        return Tensor::ofBytes(type_, part.shape, std::move(bytes));
    }
    Result<Tensor> whole() {
        return part({.begin = std::vector<std::uint64_t>(shape_.size()), .shape = shape_});
    }
    /// `identity`: of the checkpoint.
    Result<DistributedTensor> distributed(const distribution::TensorLayout& layout,
                                          const std::string& identity) {
        std::map<std::string, Tensor> parts;
        std::vector<std::pair<distribution::TensorPart, Tensor>> read;  // devices may hold the same
        for (const std::string& device : TRY(ownDevices(layout.mesh()))) {
            const auto own = TRY(distribution::partOf(layout, shape_, device));
            auto found = std::ranges::find(read, own, [](const auto& one) { return one.first; });
            if (found == read.end()) found = read.emplace(read.end(), own, TRY(part(own)));
            parts.emplace(device, found->second);
        }
        return DistributedTensor::ofParts(type_, shape_, layout, std::move(parts),
                                          contentHash(identity + name_));
    }

private:
    checkpoint::ShardIndex& index_;
    const std::string name_;
    const NumberType type_;
    std::vector<std::uint64_t> shape_;
};

/// Whose outcome all know.
Result<KeptTensors> agreed(Result<KeptTensors> mine, double timeoutSeconds) {
    TRY(agreeOnOutcome(mine ? Result<void>() : fail(mine.error()), timeoutSeconds));
    return mine;
}

}  // namespace

Result<Checkpoints> Checkpoints::open(const fs::path& folder, const CheckpointsOptions& options) {
    const auto group = distribution::ProcessState::instance().group();
    if (group && group->isEvaluator())
        return fail(ErrorCode::BadInput,
                    "checkpoints are of the processes that train; this one is the evaluator",
                    "Ask isEvaluator() of the strategy before.");
    Checkpoints checkpoints(folder, options);
    Result<void> opened;
    if (options.keep < 1)
        opened = fail(ErrorCode::BadInput,
                      fmt::format("at least one checkpoint is kept, not {}", options.keep));
    if (opened && distribution::processId() == 0) {
        auto store = CheckpointStore::open(folder, CheckpointStore::Access::Write);
        if (store)
            checkpoints.store_ = *std::move(store);
        else
            opened = fail(store.error());
    }
    TRY(agreeOnOutcome(opened, options.timeoutSeconds));
    TRY(checkpoints.look());
    return checkpoints;
}

/// That all see the one folder: for a moment process 0 puts a file there.
Result<void> Checkpoints::look() {
    const bool isFirst = distribution::processId() == 0;
    std::string name;
    Result<void> put;
    if (isFirst) {
        name = checkpoint::temporaryName(0);  // swept where this process dies
        put = writeNewFileDurably(folder_ / name, {});
    }
    TRY(agreeOnOutcome(put, options_.timeoutSeconds));
    const std::string shown = TRY(gatherTexts(name, options_.timeoutSeconds)).front();
    std::error_code error;
    Result<void> seen;
    if (!fs::exists(folder_ / shown, error))
        seen = fail(ErrorCode::BadInput,
                    fmt::format("it does not see what process 0 writes to {}", folder_.string()));
    else if (::access(folder_.c_str(), W_OK) != 0)
        seen = fail(ErrorCode::BadInput, fmt::format("it may not write to {}", folder_.string()));
    auto all = agreeOnOutcome(seen, options_.timeoutSeconds);
    if (isFirst) fs::remove(folder_ / shown, error);
    if (!all && all.error().code == ErrorCode::BadInput)
        all = fail(ErrorCode::BadInput, all.error().message,
                   "Name a folder on a file system that all processes share.");
    return all;
}

Result<void> Checkpoints::save(std::int64_t step, const KeptTensors& tensors) {
    const auto pieces = piecesOf(tensors);
    Result<std::string> identity =
        pieces ? Result<std::string>(fmt::format("{}\n{}", step, pieces->identity))
               : fail(pieces.error());
    if (step < 0)
        identity = fail(ErrorCode::BadInput,
                        fmt::format("a checkpoint's step is 0 or more, not {}", step));
    TRY(agreeOnSame(identity, "saves other tensors", options_.timeoutSeconds));
    TRY(agreeOnCopies(*pieces, options_.timeoutSeconds));
    return store_ ? commit(*store_, step, *pieces, options_) : follow(folder_, *pieces, options_);
}

Result<std::vector<std::int64_t>> Checkpoints::newestFirst() const {
    Result<std::vector<std::int64_t>> listed;
    if (store_) listed = store_->newestFirst();
    TRY(agreeOnOutcome(listed ? Result<void>() : fail(listed.error()), options_.timeoutSeconds));
    const auto texts = TRY(gatherTexts(text::Json(*listed).text(), options_.timeoutSeconds));
    return TRY(text::parseJson(texts.front(), texts.front().size()))
        .as<std::vector<std::int64_t>>()
        .value_or(std::vector<std::int64_t>{});
}

Result<std::vector<std::int64_t>> Checkpoints::steps() const {
    auto listed = TRY(newestFirst());
    std::ranges::sort(listed);
    return listed;
}

Result<KeptTensors> Checkpoints::load(std::int64_t step, const TensorLayouts& layouts) const {
    return agreed(read(step, layouts), options_.timeoutSeconds);
}

Result<KeptTensors> Checkpoints::read(std::int64_t step, const TensorLayouts& layouts) const try {
    const auto store = TRY(CheckpointStore::open(folder_, CheckpointStore::Access::Read));
    const std::string place = store.folderOf(step).string();
    const auto lease = TRY(store.lease(step));
    const auto manifest = checkpoint::readManifest(lease.folder(), step);
    if (!manifest) return failWithin(place, manifest.error());
    if (manifest->format < checkpoint::kShardedFormat)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is a checkpoint in one file, of a training", place),
                    "Model::fromRun() takes the run it belongs to.");
    auto index = checkpoint::ShardIndex::read(lease.folder(), *manifest, checkpoint::kModelFolder);
    if (!index) return failWithin(place, index.error());
    TRY(checkNames(layouts, *index));
    const std::string identity = contentHash(checkpoint::encodeRecords(manifest->files));
    KeptTensors tensors;
    for (const auto& [name, stored] : index->tensors()) {
        const auto type = numberTypeOf(stored.dtype);
        if (!type) return failWithin(name, type.error());
        TensorReader reader(*index, name, *type);
        const auto layout = layouts.find(name);
        auto tensor =
            layout == layouts.end()
                ? reader.whole().map([](Tensor whole) { return KeptTensor(whole); })
                : reader.distributed(layout->second, identity).map([](DistributedTensor own) {
                      return KeptTensor(own);
                  });
        if (!tensor) return failWithin(place, tensor.error());
        tensors.emplace(name, *std::move(tensor));
    }
    return tensors;
} catch (const std::exception& error) {  // out of memory
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot load the checkpoint of step {}: {}", step, error.what()));
}

Result<std::optional<LoadedTensors>> Checkpoints::loadNewest(const TensorLayouts& layouts) const {
    LoadedTensors loaded;
    for (const std::int64_t step : TRY(newestFirst())) {
        auto tensors = load(step, layouts);
        if (tensors) {
            loaded.step = step;
            loaded.tensors = *std::move(tensors);
            return loaded;
        }
        if (tensors.error().code != ErrorCode::Corrupt) return fail(tensors.error());
        loaded.passedOver.push_back(tensors.error().message);
    }
    if (loaded.passedOver.empty()) return std::nullopt;
    return fail(ErrorCode::Corrupt,
                fmt::format("none of the checkpoints in {} can be read: {}", folder_.string(),
                            loaded.passedOver.front()),
                "Put a good copy of one in its place, or begin anew in another folder.");
}

}  // namespace lockstep::fit
