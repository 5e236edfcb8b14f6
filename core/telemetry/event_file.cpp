// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/event_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>

#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/telemetry/crc32c.h"
#include "core/telemetry/little_endian.h"

namespace lockstep::telemetry {

namespace {

// The few messages of TensorFlow's event.proto and summary.proto that scalars need, encoded by
// hand: their .proto files would draw in a dozen others.

void appendVarint(std::string& bytes, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        bytes += static_cast<char>((value & 0x7f) | 0x80);
    bytes += static_cast<char>(value);
}

enum WireType : std::uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

void appendKey(std::string& bytes, std::uint32_t field, WireType type) {
    appendVarint(bytes, (field << 3) | type);
}
void appendBytes(std::string& bytes, std::uint32_t field, std::string_view value) {
    appendKey(bytes, field, Bytes);
    appendVarint(bytes, value.size());
    bytes += value;
}
void appendDouble(std::string& bytes, std::uint32_t field, double value) {
    appendKey(bytes, field, Fixed64);
    appendLittleEndian(bytes, std::bit_cast<std::uint64_t>(value));
}
void appendFloat(std::string& bytes, std::uint32_t field, float value) {
    appendKey(bytes, field, Fixed32);
    appendLittleEndian(bytes, std::bit_cast<std::uint32_t>(value));
}

std::string versionEvent(double wallTime) {
    std::string event;
    appendDouble(event, 1, wallTime);
    appendBytes(event, 3, "brain.Event:2");
    return event;
}

std::string scalarEvent(const Scalar& scalar) {
    std::string plugin;
    appendBytes(plugin, 1, "scalars");
    std::string metadata;
    appendBytes(metadata, 1, plugin);
    std::string value;
    appendBytes(value, 1, scalar.tag);
    appendFloat(value, 2, static_cast<float>(scalar.value));
    appendBytes(value, 9, metadata);
    std::string summary;
    appendBytes(summary, 1, value);
    std::string event;
    appendDouble(event, 1, scalar.wallTime);
    appendKey(event, 2, Varint);
    appendVarint(event, scalar.step);
    appendBytes(event, 5, summary);
    return event;
}

/// A SessionLog with status START.
std::string restartEvent(std::uint64_t step, double wallTime) {
    std::string start;
    appendKey(start, 1, Varint);
    appendVarint(start, 1);
    std::string event;
    appendDouble(event, 1, wallTime);
    appendKey(event, 2, Varint);
    appendVarint(event, step);
    appendBytes(event, 7, start);
    return event;
}

/// TensorFlow masks its checksums, so that sums of bytes that contain sums stay good.
std::uint32_t maskedSum(std::string_view bytes) {
    return std::rotr(crc32c(bytes), 15) + 0xa282ead8U;
}

void appendRecord(std::string& bytes, std::string_view event) {
    std::string length;
    appendLittleEndian(length, std::uint64_t{event.size()});
    bytes += length;
    appendLittleEndian(bytes, maskedSum(length));
    bytes += event;
    appendLittleEndian(bytes, maskedSum(event));
}

constexpr std::size_t kFlushBytes = 64 << 10;
constexpr double kSecondsBetweenPoints = 0.1;
constexpr int kMaxFilesASecond = 1000;

/// The TensorBoard run a scalar belongs to: the folder's name.
std::string runOf(const Scalar& scalar) {
    if (scalar.replica >= 0) return fmt::format("replica-{}", scalar.replica);
    const std::string_view group = scalar.tag.substr(0, scalar.tag.find('/'));
    // A name that anybody chose is no name for a folder.
    const bool isOurs = group == "train" || group == "validation" || group == "evaluator";
    return scalar.named && !isOurs ? "job" : std::string(group);
}

}  // namespace

EventFile::EventFile(std::filesystem::path folder, double wallTime)
    : folder_(std::move(folder)), wallTime_(wallTime) {
    appendRecord(buffer_, versionEvent(wallTime));
}

Result<void> EventFile::create() {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error)
        return fail(ErrorCode::Io,
                    fmt::format("making folder {}: {}", folder_.string(), error.message()));
    const std::string stem =
        fmt::format("events.out.tfevents.{:010}.{}.{}", static_cast<std::int64_t>(wallTime_),
                    hostName(), ::getpid());
    for (int number = 0; number < kMaxFilesASecond; ++number) {
        path_ = folder_ / fmt::format("{}.{}", stem, number);
        fd_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
        if (fd_.valid()) return {};
        if (errno != EEXIST)
            return fail(ErrorCode::Io, fmt::format("creating {}: {}", path_.string(), errnoText()));
    }
    return fail(ErrorCode::Io, fmt::format("too many event files in {}", folder_.string()));
}

void EventFile::addScalar(const Scalar& scalar) {
    appendRecord(buffer_, scalarEvent(scalar));
}

void EventFile::addRestart(std::uint64_t step, double wallTime) {
    appendRecord(buffer_, restartEvent(step, wallTime));
}

Result<void> EventFile::flush() {
    if (buffer_.empty()) return {};
    if (!fd_.valid()) TRY(create());
    const auto written = writeAll(fd_.get(), buffer_);
    if (written) {
        written_ += buffer_.size();
        buffer_.clear();
        return {};
    }
    // Back to the last whole record; where even that fails, readers stop there.
    if (::ftruncate(fd_.get(), static_cast<off_t>(written_)) == 0)
        ::lseek(fd_.get(), static_cast<off_t>(written_), SEEK_SET);
    return failWithin("writing " + path_.string(), written.error());
}

EventFile& EventSink::fileFor(const std::string& run, double wallTime) {
    if (const auto known = files_.find(run); known != files_.end()) return known->second;
    EventFile& file = files_.emplace(run, EventFile(folder_ / run, wallTime)).first->second;
    if (firstStep_) file.addRestart(*firstStep_ + 1, wallTime);
    return file;
}

/// Files that come later begin with it.
void EventSink::restart(std::uint64_t firstStep, double wallTime) {
    firstStep_ = firstStep;
    for (auto& [run, file] : files_)
        file.addRestart(firstStep + 1, wallTime);
}

bool EventSink::isThinnedOut(const Scalar& scalar) {
    if (scalar.replica < 0) return false;
    // The figures of a step are thinned together, named ones each by itself.
    const auto [entry, isFirst] =
        lastPoints_.try_emplace({scalar.replica, scalar.named ? scalar.tag : std::string_view()},
                                LastPoint{scalar.step, scalar.wallTime});
    LastPoint& last = entry->second;
    const bool samePoint = scalar.step == last.step;  // another tag of it
    const bool rolledBack = scalar.step < last.step;  // resumed from a checkpoint
    if (!isFirst && !samePoint && !rolledBack &&
        scalar.wallTime < last.wallTime + kSecondsBetweenPoints)
        return true;
    last = {scalar.step, samePoint ? last.wallTime : scalar.wallTime};
    return false;
}

Result<void> EventSink::apply(const wire::Record& record) {
    if (record.has_run_info() && !record.run_info().amends())
        restart(record.run_info().first_step(), record.wall_time());
    scalars_.clear();
    expander_.expand(record, scalars_);
    Result<void> result;
    for (const Scalar& scalar : scalars_) {
        if (isThinnedOut(scalar)) continue;
        EventFile& file = fileFor(runOf(scalar), scalar.wallTime);
        file.addScalar(scalar);
        if (file.bufferedBytes() < kFlushBytes) continue;
        if (auto flushed = file.flush(); !flushed) result = flushed;
    }
    return result;
}

Result<void> EventSink::flush() {
    Result<void> result;
    for (auto& [run, file] : files_) {
        if (auto flushed = file.flush(); !flushed) result = flushed;
    }
    return result;
}

}  // namespace lockstep::telemetry
