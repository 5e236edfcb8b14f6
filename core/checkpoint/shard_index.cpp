// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/shard_index.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/try.h"
#include "core/checkpoint/layout.h"
#include "core/text/json.h"

namespace lockstep::checkpoint {

namespace {

/// No dimension is so large; what a damaged header says may be.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

/// Whether there is an element in both: of a box without any there is none.
bool meet(const Box& a, const Box& b) {
    for (std::size_t axis = 0; axis < a.shape.size(); ++axis)
        if (std::min(a.end(axis), b.end(axis)) <= std::max(a.offsets[axis], b.offsets[axis]))
            return false;
    return true;
}

/// What two that meet have in common.
Box commonOf(const Box& a, const Box& b) {
    Box common;
    for (std::size_t axis = 0; axis < a.shape.size(); ++axis) {
        common.offsets.push_back(std::max(a.offsets[axis], b.offsets[axis]));
        common.shape.push_back(std::min(a.end(axis), b.end(axis)) - common.offsets[axis]);
    }
    return common;
}

/// Of the element `at` of the whole tensor, in elements, among those of a box.
std::int64_t placeIn(const Box& box, const std::vector<std::int64_t>& at) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        place = place * box.shape[axis] + at[axis] - box.offsets[axis];
    return place;
}

/// Calls `run(from, to, count)` for every stretch of `part` that lies together in both boxes, in
/// elements.
template <typename Run>
Result<void> forEachRun(const Box& part, const Box& from, const Box& to, const Run& run) {
    std::size_t axis = part.shape.size();  // from here on all of the dimensions lie together
    std::int64_t count = 1;
    while (axis > 0) {
        --axis;
        count *= part.shape[axis];
        if (part.shape[axis] != from.shape[axis] || part.shape[axis] != to.shape[axis]) break;
    }
    std::vector<std::int64_t> at = part.offsets;
    for (;;) {
        TRY(run(placeIn(from, at), placeIn(to, at), count));
        std::size_t next = axis;
        while (next > 0 && ++at[next - 1] >= part.end(next - 1)) {
            --next;
            at[next] = part.offsets[next];
        }
        if (next == 0) return {};
    }
}

using Offsets = std::map<std::string, std::vector<std::int64_t>>;

/// What the file's header says of where its tensors begin.
Result<Offsets> offsetsOf(const SafetensorMetadata& metadata) {
    const auto entry = metadata.find(kShardingInfo);
    if (entry == metadata.end())
        return fail(ErrorCode::Corrupt, fmt::format("its header has no {}", kShardingInfo));
    const auto places = TRY(text::parseJson(entry->second, entry->second.size()));
    Offsets offsets;
    for (const auto& [name, place] : places.members()) {
        auto saved = place.get<std::vector<std::int64_t>>(kSavedOffsets);
        if (!saved || std::ranges::any_of(
                          *saved, [](std::int64_t one) { return one < 0 || one > kLargestSize; }))
            return fail(ErrorCode::Corrupt,
                        fmt::format("{}: no offsets of {}", kShardingInfo, name));
        offsets[name] = *std::move(saved);
    }
    return offsets;
}

}  // namespace

std::int64_t elementsOf(const std::vector<std::int64_t>& shape) {
    if (std::ranges::find(shape, 0) != shape.end()) return 0;
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(count, size, &count))
            return std::numeric_limits<std::int64_t>::max();
    return count;
}

Result<ShardIndex> ShardIndex::read(int folder, const Manifest& manifest, const std::string& kind) {
    ShardIndex index;
    index.folder_.reset(::fcntl(folder, F_DUPFD_CLOEXEC, 0));
    if (!index.folder_.valid())
        return fail(ErrorCode::Io, fmt::format("cannot keep a folder open: {}", errnoText()));
    index.manifest_ = std::make_unique<const Manifest>(manifest);
    for (const auto& [name, record] : manifest.files) {
        if (!name.starts_with(kind + "/")) continue;
        index.files_.emplace(name,
                             TRY(VerifiedFile::open(index.folder_.get(), name, *index.manifest_)));
        if (auto added = index.addFile(name, index.fileToRead(name)); !added)
            return added.error().message.starts_with(name) ? fail(added.error())
                                                           : failWithin(name, added.error());
    }
    TRY(index.checkWhole());
    return index;
}

Result<void> ShardIndex::addFile(const std::string& file, VerifiedFile& opened) {
    const FileRecord& record = manifest_->files.at(file);
    const auto head = TRY(readSafetensorsHead(
        record.bytes, [&](std::uint64_t offset, std::uint64_t length) -> Result<std::string> {
            std::string text(length, '\0');
            TRY(opened.read(offset, std::as_writable_bytes(std::span(text))));
            return text;
        }));
    const auto offsets = TRY(offsetsOf(head.metadata));
    if (head.tensors.size() != record.tensors.size() || offsets.size() != record.tensors.size())
        return fail(ErrorCode::Corrupt, "it does not hold the tensors that its manifest lists");
    for (const PlacedSafetensor& tensor : head.tensors) {
        const auto place = offsets.find(tensor.name);
        if (place == offsets.end() || !record.tensors.contains(tensor.name) ||
            place->second.size() != tensor.shape.size())
            return fail(ErrorCode::Corrupt, fmt::format("no place is known of {}", tensor.name));
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
            if (tensor.shape[axis] > kLargestSize - place->second[axis])
                return fail(ErrorCode::Corrupt, fmt::format("{} ends beyond {} along axis {}",
                                                            tensor.name, kLargestSize, axis));
        const auto [entry, isNew] = tensors_.try_emplace(tensor.name);
        Whole& whole = entry->second;
        if (isNew) whole.dtype = tensor.dtype;
        if (whole.dtype != tensor.dtype)
            return fail(ErrorCode::Corrupt,
                        fmt::format("{} is {} here and {} elsewhere", tensor.name,
                                    nameOf(tensor.dtype), nameOf(whole.dtype)));
        whole.pieces.push_back({file, tensor.begin, {place->second, tensor.shape}});
        whole.shape.resize(std::max(whole.shape.size(), tensor.shape.size()));
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
            whole.shape[axis] = std::max(whole.shape[axis], whole.pieces.back().box.end(axis));
    }
    return {};
}

/// That each element of each tensor is in one piece, and that a piece without elements is all there
/// is of its tensor.
Result<void> ShardIndex::checkWhole() const {
    for (const auto& [name, whole] : tensors_) {
        const auto incomplete = [&name] {
            return fail(ErrorCode::Corrupt,
                        fmt::format("the parts of {} do not make up a whole tensor", name));
        };
        std::int64_t covered = 0;
        for (std::size_t i = 0; i < whole.pieces.size(); ++i) {
            const Box& box = whole.pieces[i].box;
            const std::int64_t count = elementsOf(box.shape);
            if (box.shape.size() != whole.shape.size() || (count == 0 && whole.pieces.size() > 1) ||
                __builtin_add_overflow(covered, count, &covered))
                return incomplete();
            for (std::size_t j = 0; j < i; ++j)
                if (meet(box, whole.pieces[j].box)) return incomplete();
        }
        if (covered != elementsOf(whole.shape)) return incomplete();
    }
    return {};
}

Result<void> ShardIndex::readBox(const std::string& name, const Box& box, std::span<std::byte> to) {
    const Whole& whole = tensors_.at(name);
    if (elementsOf(box.shape) == 0) return {};
    const auto size = static_cast<std::uint64_t>(bytesOf(whole.dtype));
    for (const Piece& piece : whole.pieces) {
        if (!meet(piece.box, box)) continue;
        VerifiedFile& file = fileToRead(piece.file);
        TRY(forEachRun(commonOf(piece.box, box), piece.box, box,
                       [&](std::int64_t from, std::int64_t into, std::int64_t count) {
                           return file.read(piece.begin + static_cast<std::uint64_t>(from) * size,
                                            to.subspan(static_cast<std::size_t>(into) * size,
                                                       static_cast<std::size_t>(count) * size));
                       }));
    }
    return {};
}

Result<void> ShardIndex::verify() {
    for (const auto& [name, file] : files_)
        TRY(fileToRead(name).verify());
    return {};
}

/// Those that were read longest ago are closed.
VerifiedFile& ShardIndex::fileToRead(const std::string& file) {
    constexpr std::size_t kMostOpen = 8;
    std::erase(open_, file);
    open_.push_back(file);
    if (open_.size() > kMostOpen) {
        files_.at(open_.front()).rest();
        open_.erase(open_.begin());
    }
    return files_.at(file);
}

}  // namespace lockstep::checkpoint
