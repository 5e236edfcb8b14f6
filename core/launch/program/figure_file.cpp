// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/figure_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/base/file.h"
#include "core/base/try.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr int kPiecesACall = 8;
constexpr std::size_t kHeadBytes = 512;

bool isEventFile(const fs::path& file) {
    return file.filename().native().find("tfevents") != std::string::npos;
}

}  // namespace

bool FigureFile::mayBeOne(const fs::path& file) {
    if (isEventFile(file)) return true;
    const fs::path extension = file.extension();
    // Keras' examples call a CSV log "training.log"; whether it is one, its header tells.
    return extension == ".csv" || extension == ".tsv" || extension == ".log";
}

FigureFile::Looks FigureFile::look(const fs::path& file) {
    if (isEventFile(file)) {
        std::error_code gone;
        return fs::is_regular_file(fs::symlink_status(file, gone)) ? Looks::LikeOne
                                                                   : Looks::LikeNothingYet;
    }
    FigureFile beginning(file);
    if (!beginning.read(0, [](const FileFigure&) {})) return Looks::LikeAnother;
    const bool hasHeader = std::get<telemetry::CsvReader>(beginning.reader_).hasHeader();
    return hasHeader ? Looks::LikeOne : Looks::LikeNothingYet;
}

FigureFile::FigureFile(fs::path path) : path_(std::move(path)) {
    if (!isEventFile(path_)) reader_.emplace<telemetry::CsvReader>();
}

Result<void> FigureFile::take(std::string_view bytes, double wall, const OnFigure& onFigure) {
    if (auto* events = std::get_if<telemetry::EventReader>(&reader_))
        return events->feed(bytes, [&](const telemetry::EventScalar& scalar) {
            const auto step = static_cast<std::uint64_t>(std::max<std::int64_t>(0, scalar.step));
            onFigure({scalar.tag, step, scalar.wallTime, scalar.value});
        });
    return std::get<telemetry::CsvReader>(reader_).feed(
        bytes, [&](const telemetry::CsvFigure& figure) {
            onFigure({std::string(figure.name), figure.step, wall, figure.value});
        });
}

Result<bool> FigureFile::readUpTo(std::uint64_t end, double wall, const OnFigure& onFigure) {
    const UniqueFd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
        return false;  // it has gone, or is not there yet
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const bool isAnother = inode_ != 0 && inode_ != status.st_ino;
    inode_ = status.st_ino;
    if (isAnother || size < offset_ || !beginsAsBefore(file.get())) {
        auto* csv = std::get_if<telemetry::CsvReader>(&reader_);
        if (csv == nullptr) return fail(ErrorCode::Corrupt, "it was written anew");
        csv->beginAnew();
        offset_ = 0;
        head_.clear();
    }
    std::array<char, kPieceBytes> piece;
    end = std::min(end, size);
    for (int count = 0; count < kPiecesACall && offset_ < end; ++count) {
        const std::size_t wanted = std::min<std::uint64_t>(piece.size(), end - offset_);
        const ssize_t got = ::pread(file.get(), piece.data(), wanted, static_cast<off_t>(offset_));
        if (got <= 0) return false;
        if (offset_ == 0)
            head_.assign(piece.data(), std::min(static_cast<std::size_t>(got), kHeadBytes));
        offset_ += static_cast<std::uint64_t>(got);
        TRY(take({piece.data(), static_cast<std::size_t>(got)}, wall, onFigure));
    }
    return offset_ < end;
}

/// A log that is written anew may be longer than before by the time that it is read; with another
/// header it goes on at another place.
bool FigureFile::beginsAsBefore(int file) const {
    std::array<char, kHeadBytes> begin;
    const ssize_t got = ::pread(file, begin.data(), head_.size(), 0);
    return got == static_cast<ssize_t>(head_.size()) &&
           std::equal(head_.begin(), head_.end(), begin.begin());
}

Result<void> FigureFile::passOver(std::uint64_t bytes, const std::function<bool()>& givesUp) {
    while (offset_ < bytes) {
        if (givesUp()) return fail(ErrorCode::Cancelled, "it was not read to its end");
        const std::uint64_t before = offset_;
        std::ignore = TRY(readUpTo(bytes, 0, [](const FileFigure&) {}));
        if (offset_ == before) break;
    }
    if (auto* csv = std::get_if<telemetry::CsvReader>(&reader_)) csv->forgetSkipped();
    return {};
}

telemetry::SkippedRows FigureFile::skipped() const {
    const auto* csv = std::get_if<telemetry::CsvReader>(&reader_);
    return csv != nullptr ? csv->skipped() : telemetry::SkippedRows{};
}

}  // namespace lockstep::launch
