// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/verified_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_files.h"

namespace lockstep::checkpoint {

Result<VerifiedFile> VerifiedFile::open(int folder, const std::string& name,
                                        const Manifest& manifest) {
    auto fd = TRY(openListed(folder, name, manifest));
    VerifiedFile file(folder, name, std::move(fd), manifest);
    const FileRecord& record = *file.record_;
    if (record.blocks.empty()) return file;
    if (record.blockBytes > kLargestBlock)
        return fail(ErrorCode::Corrupt,
                    fmt::format("the manifest's blocks of {} have {} bytes; at most {} are read",
                                name, record.blockBytes, kLargestBlock));
    if (record.blockBytes == 0 || record.blocks.size() != file.blockCount())
        return fail(ErrorCode::Corrupt,
                    fmt::format("the manifest's blocks of {} are not all of it", name));
    return file;
}

void VerifiedFile::rest() {
    fd_.reset();
    std::string().swap(block_);
    blockIndex_ = ~std::uint64_t{0};
}

std::uint64_t VerifiedFile::blockBytes() const {
    return record_->blocks.empty() ? kLeastBlock : record_->blockBytes;
}

/// Of no bytes, one.
std::uint64_t VerifiedFile::blockCount() const {
    return std::max<std::uint64_t>(
        1, record_->bytes / blockBytes() + (record_->bytes % blockBytes() == 0 ? 0 : 1));
}

const std::string& VerifiedFile::hashOf(std::uint64_t index) const {
    if (!record_->blocks.empty()) return record_->blocks[index];
    return ownBlocks_.empty() ? record_->hash : ownBlocks_[index];
}

/// Open, and with a hash of each block.
Result<void> VerifiedFile::makeReady() {
    if (!fd_.valid()) fd_ = TRY(openListed(folder_, name_, *manifest_));
    if (!record_->blocks.empty() || !ownBlocks_.empty() || blockCount() == 1) return {};
    ContentHash whole;
    std::vector<std::string> blocks;
    for (std::uint64_t begin = 0; begin < record_->bytes; begin += kLeastBlock) {
        const auto block =
            TRY(readAt(fd_.get(), name_, begin, std::min(kLeastBlock, record_->bytes - begin)));
        whole.add(block);
        blocks.push_back(contentHash(block));
    }
    if (whole.digits() != record_->hash)
        return fail(ErrorCode::Corrupt, fmt::format("{} does not match its checksum", name_));
    ownBlocks_ = std::move(blocks);
    return {};
}

Result<void> VerifiedFile::loadBlock(std::uint64_t index) {
    if (index == blockIndex_) return {};
    TRY(makeReady());
    blockIndex_ = ~std::uint64_t{0};
    const std::uint64_t begin = index * blockBytes();
    block_ = TRY(readAt(fd_.get(), name_, begin, std::min(blockBytes(), record_->bytes - begin)));
    if (contentHash(block_) != hashOf(index))
        return fail(ErrorCode::Corrupt, fmt::format("{} does not match its checksum", name_));
    blockIndex_ = index;
    return {};
}

Result<void> VerifiedFile::read(std::uint64_t offset, std::span<std::byte> to) {
    if (offset > record_->bytes || to.size() > record_->bytes - offset)
        return fail(ErrorCode::Corrupt, fmt::format("{} ends before its data", name_));
    while (!to.empty()) {
        TRY(loadBlock(offset / blockBytes()));
        const std::size_t within = offset % blockBytes();
        const std::size_t count = std::min(to.size(), block_.size() - within);
        std::memcpy(to.data(), block_.data() + within, count);
        to = to.subspan(count);
        offset += count;
    }
    return {};
}

Result<void> VerifiedFile::verify() {
    for (std::uint64_t index = 0; index < blockCount(); ++index)
        TRY(loadBlock(index));
    return {};
}

}  // namespace lockstep::checkpoint
