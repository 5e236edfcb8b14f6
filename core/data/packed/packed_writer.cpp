// SPDX-License-Identifier: Apache-2.0
#include "core/data/packed/packed_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/data/packed/packed_header.h"

namespace lockstep::data {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

PackedFileWriter::PackedFileWriter(fs::path file)
    : file_(std::move(file)), part_(file_.string() + ".part") {}

PackedFileWriter::~PackedFileWriter() {
    std::error_code error;
    if (fd_.valid()) fs::remove(part_, error);
}

Result<void> PackedFileWriter::open() {
    fd_.reset(::open(part_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd_.valid()) return fail(ErrorCode::Io, errnoText());
    return writeAll(fd_.get(), std::string(kPackedHeaderBytes, '\n'));
}

Result<void> PackedFileWriter::append(std::span<const std::uint8_t> bytes) {
    open_ += bytes.size();
    held_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return held_.size() >= kPiece ? flush() : Result<void>{};
}

Result<void> PackedFileWriter::flush() {
    hash_.add(held_);
    TRY(writeAll(fd_.get(), held_));
    held_.clear();
    return {};
}

Result<void> PackedFileWriter::endSection() {
    LS_CHECK(sections_.size() < kMostSections, "a packed file has few sections");
    sections_.push_back(std::exchange(open_, 0));
    held_.append(paddingBehind(sections_.back()), '\0');
    return {};
}

Result<void> PackedFileWriter::finish(const std::string& source, const std::string& meaning) {
    LS_CHECK(open_ == 0, "every section is ended");
    held_ += meaning;
    TRY(flush());
    const std::string header = packedHeader(source, hash_.digits(), sections_, meaning.size());
    if (::lseek(fd_.get(), 0, SEEK_SET) != 0) return fail(ErrorCode::Io, errnoText());
    TRY(writeAll(fd_.get(), header));
    if (::fsync(fd_.get()) != 0) return fail(ErrorCode::Io, errnoText());
    if (::rename(part_.c_str(), file_.c_str()) != 0) return fail(ErrorCode::Io, errnoText());
    fd_.reset();
    return syncFolder(file_.has_parent_path() ? file_.parent_path() : ".");
}

Result<void> PackedMemoryWriter::endSection() {
    sections_.push_back(TRY(std::exchange(open_, ScratchBytes({})).take()));
    return {};
}

}  // namespace lockstep::data
