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
    const FileRecord& record = manifest.files.at(name);
    const bool isWhole = record.blocks.empty();
    if (!isWhole &&
        (record.blockBytes == 0 ||
         record.blocks.size() != (record.bytes + record.blockBytes - 1) / record.blockBytes))
        return fail(ErrorCode::Corrupt,
                    fmt::format("the manifest's blocks of {} are not all of it", name));
    return VerifiedFile(name, std::move(fd), record);
}

std::uint64_t VerifiedFile::blockBytes() const {
    return record_->blocks.empty() ? std::max<std::uint64_t>(record_->bytes, 1)
                                   : record_->blockBytes;
}

Result<void> VerifiedFile::loadBlock(std::uint64_t index) {
    if (index == blockIndex_) return {};
    blockIndex_ = ~std::uint64_t{0};
    const std::uint64_t begin = index * blockBytes();
    block_ = TRY(readAt(fd_.get(), name_, begin, std::min(blockBytes(), record_->bytes - begin)));
    const std::string& expected = record_->blocks.empty() ? record_->hash : record_->blocks[index];
    if (contentHash(block_) != expected)
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
    const std::uint64_t count = record_->blocks.empty() ? 1 : record_->blocks.size();
    for (std::uint64_t index = 0; index < count; ++index)
        TRY(loadBlock(index));
    return {};
}

}  // namespace lockstep::checkpoint
