// SPDX-License-Identifier: Apache-2.0
#include "core/run/event_writer.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <tuple>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/wire/codec.h"

namespace lockstep::run {

namespace {

constexpr Millis kInterval{500};
constexpr Millis kRetryInterval{50};                     // while somebody waits
constexpr Nanos kEndPatience = std::chrono::seconds(3);  // with a disk that takes nothing
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
/// So much of a former start tells which steps its replicas told last.
constexpr std::uint64_t kFormerBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kPositionLimit = 64;
constexpr const char* kPositionFile = ".position";

/// How far the journal is in the event files and epochs.csv; nothing where no run has said it yet.
std::optional<std::uint64_t> readPosition(const std::filesystem::path& file) {
    const auto text = readFile(file, kPositionLimit);
    std::uint64_t position = 0;
    if (!text ||
        std::from_chars(text->data(), text->data() + text->size(), position).ec != std::errc())
        return std::nullopt;
    return position;
}

}  // namespace

/// It goes on behind what an earlier start of the run has written of the journal (all of it, where
/// that is not known), and never behind the end that a writer will find.
EventWriter::Beginning EventWriter::beginningOf(const std::filesystem::path& journal,
                                                const std::filesystem::path& positionFile,
                                                std::optional<std::uint64_t> end) {
    if (!end)
        if (const auto check = telemetry::checkJournal(journal)) end = check->end;
    if (end.value_or(0) == 0) return {};  // there is none yet
    return {std::min(*end, readPosition(positionFile).value_or(*end)), *end};
}

EventWriter::EventWriter(std::filesystem::path journal, const std::filesystem::path& events,
                         const std::filesystem::path& epochs, std::optional<std::uint64_t> end)
    : EventWriter(journal, events, epochs, beginningOf(journal, events / kPositionFile, end)) {}

EventWriter::EventWriter(std::filesystem::path journal, const std::filesystem::path& events,
                         const std::filesystem::path& epochs, Beginning beginning)
    : journal_(std::move(journal)),
      positionFile_(events / kPositionFile),
      ownFrom_(beginning.ownFrom),
      offset_(beginning.offset),
      events_(events),
      epochs_(epochs.empty() ? std::nullopt : std::optional<telemetry::EpochCsv>(epochs)),
      thread_(startThread("events", [this](const std::stop_token& stop) { loop(stop); })) {}

EventWriter::~EventWriter() =
    default;  // the thread is asked to stop, writes the rest, and is joined

std::string EventWriter::problem() const {
    Lock lock(mutex_);
    return problem_;
}

ReadBack EventWriter::readBack() const {
    Lock lock(mutex_);
    return readBack_;
}

void EventWriter::count(const ReadBack& more) {
    Lock lock(mutex_);
    readBack_.records += more.records;
    readBack_.damage.add(more.damage);
    readBack_.lostSteps = lostSteps_.count();
    readBack_.lostStepsText = lostSteps_.text();
}

std::string EventWriter::settle(Nanos patience) {
    const Nanos deadline = SteadyClock::read() + patience;
    Lock lock(mutex_);
    const std::uint64_t wanted = begun_ + 1;  // the round under way may have passed some by
    while (written_ < wanted) {
        const Nanos left = deadline - SteadyClock::read();
        if (left <= Nanos{0})
            return problem_.empty() ? "the disk did not take them in time" : problem_;
        isAsked_ = true;
        pause_.notify_all();
        pause_.wait_for(mutex_, std::min<Nanos>(left, kRetryInterval));
    }
    return {};
}

bool EventWriter::end(Nanos patience) {
    thread_.request_stop();
    const Nanos deadline = SteadyClock::read() + patience;
    Lock lock(mutex_);
    for (Nanos left = patience; !ended_ && left > Nanos{}; left = deadline - SteadyClock::read())
        pause_.wait_for(mutex_, std::min<Nanos>(left, kInterval));
    return ended_;
}

Result<void> EventWriter::flush() {
    auto events = events_.flush();
    auto epochs = epochs_ ? epochs_->flush() : Result<void>();
    return events ? epochs : events;
}

/// The end of what an earlier start has written. It is read by its own frames, wherever they begin.
void EventWriter::learnFormerSteps() {
    std::uint64_t offset = ownFrom_ - std::min(ownFrom_, kFormerBytes);
    while (offset < ownFrom_) {
        const auto chunk =
            reader_->read(offset, std::min<std::uint64_t>(kChunkBytes, ownFrom_ - offset));
        if (!chunk || chunk->empty()) return;  // follow() says why, if it lasts
        telemetry::FrameCursor cursor(*chunk, offset);
        for (auto frame = cursor.next(); frame; frame = cursor.next())
            if (const auto record = wire::decode<wire::Record>(*frame);
                record && cursor.offset() <= ownFrom_)
                lostSteps_.passOver(*record);
        offset = cursor.offset();
    }
}

/// Takes more of the journal in only when all that was taken is written.
Result<void> EventWriter::follow() {
    if (!reader_) {
        auto reader = telemetry::JournalReader::open(journal_);
        if (!reader && reader.error().code == ErrorCode::NotFound) return {};  // not begun
        if (!reader) return fail(reader.error());
        reader_.emplace(std::move(*reader));
        learnFormerSteps();
    }
    for (;;) {
        TRY(flush());
        notePosition();
        const auto chunk = TRY(reader_->read(offset_, kChunkBytes));
        if (chunk.empty()) return {};
        telemetry::FrameCursor cursor(chunk, offset_);
        ReadBack own;
        while (const auto frame = cursor.next()) {
            if (cursor.offset() > ownFrom_) ++own.records;
            // Damaged records are passed over: whoever reads the journal itself says so.
            const auto record = wire::decode<wire::Record>(*frame);
            if (!record) continue;
            if (cursor.offset() > ownFrom_) lostSteps_.take(*record);
            std::ignore = events_.apply(*record);  // the flush above says what is not written
            if (epochs_) std::ignore = epochs_->apply(*record);
        }
        if (cursor.damage().first >= ownFrom_) own.damage = cursor.damage();
        count(own);
        offset_ = cursor.offset();
    }
}

void EventWriter::notePosition() {
    std::error_code error;
    if (noted_ == offset_ || !std::filesystem::exists(positionFile_.parent_path(), error)) return;
    const UniqueFd file(
        ::open(positionFile_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    // Not known, a resume begins behind this start.
    if (file.valid() && writeAll(file.get(), fmt::format("{:020}\n", offset_))) noted_ = offset_;
}

void EventWriter::loop(const std::stop_token& stop) {
    std::optional<Nanos> deadline;
    for (bool done = false; !done;) {
        std::uint64_t round = 0;
        {
            Lock lock(mutex_);
            pause_.wait_for(mutex_, stop, kInterval,
                            [this]() LS_REQUIRES(mutex_) { return isAsked_; });
            isAsked_ = false;
            round = ++begun_;
        }
        const bool last = stop.stop_requested();
        const Nanos now = SteadyClock::read();
        if (last && !deadline) deadline = now + kEndPatience;
        const auto written = follow();
        Lock lock(mutex_);
        if (!written && problem_.empty())
            std::fprintf(stderr, "warning: event files and epochs.csv: %s\n",
                         written.error().message.c_str());
        problem_ = written ? std::string() : written.error().message;
        if (written) written_ = round;
        done = last && (written || now >= *deadline);
        ended_ = done;
        pause_.notify_all();
        if (last && !done) pause_.wait_for(mutex_, kInterval, [] { return false; });
    }
}

}  // namespace lockstep::run
