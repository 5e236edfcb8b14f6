// SPDX-License-Identifier: Apache-2.0
#include "core/launch/event_writer.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <tuple>

#include "core/base/thread.h"
#include "core/telemetry/epoch_csv.h"
#include "core/telemetry/event_file.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

namespace lockstep::launch {

namespace {

constexpr Millis kInterval{500};
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// What is written of a run while it goes on.
struct Sinks {
    telemetry::EventSink events;
    std::optional<telemetry::EpochCsv> epochs;

    [[nodiscard]] Result<void> apply(const wire::Record& record) {
        auto written = events.apply(record);
        auto logged = epochs ? epochs->apply(record) : Result<void>();
        return written ? logged : written;
    }
    [[nodiscard]] Result<void> flush() { return events.flush(); }
};

/// Feeds the records from `offset` on to the sink and moves it. Damaged ones are passed over:
/// whoever reads the journal itself says so.
Result<void> follow(const telemetry::JournalReader& reader, std::uint64_t& offset, Sinks& sink) {
    for (;;) {
        auto chunk = reader.read(offset, kChunkBytes);
        if (!chunk) {
            std::ignore = sink.flush();  // what came before; that is the error to tell
            return fail(chunk.error());
        }
        if (chunk->empty()) return sink.flush();
        telemetry::FrameCursor cursor(*chunk, offset);
        while (const auto frame = cursor.next()) {
            const auto record = wire::decode<wire::Record>(*frame);
            if (!record) continue;
            if (auto written = sink.apply(*record); !written) {
                offset = cursor.offset();  // nothing is written twice
                return written;
            }
        }
        offset = cursor.offset();
    }
}

/// Where the next run's first record will lie: a tail that a crash left half written is cut off
/// when the journal is opened for writing.
std::uint64_t endOfWholeFrames(const std::filesystem::path& journal) {
    std::uint64_t offset = 0;
    const auto reader = telemetry::JournalReader::open(journal);
    while (reader) {
        const auto chunk = reader->read(offset, kChunkBytes);
        if (!chunk || chunk->empty()) break;
        offset += chunk->size();
    }
    return offset;
}

}  // namespace

EventWriter::EventWriter(std::filesystem::path journal, std::filesystem::path events,
                         std::filesystem::path epochs)
    : journal_(std::move(journal)),
      events_(std::move(events)),
      epochs_(std::move(epochs)),
      start_(endOfWholeFrames(journal_)),
      thread_(startThread("events", [this](const std::stop_token& stop) { loop(stop); })) {}

EventWriter::~EventWriter() =
    default;  // the thread is asked to stop, writes the rest, and is joined

void EventWriter::loop(const std::stop_token& stop) {
    Sinks sink{telemetry::EventSink(events_), std::nullopt};
    if (!epochs_.empty()) sink.epochs.emplace(epochs_);
    std::uint64_t offset = start_;
    std::mutex mutex;
    std::condition_variable_any pause;
    bool warned = false;
    for (bool last = false; !last;) {
        {
            std::unique_lock lock(mutex);
            pause.wait_for(lock, stop, kInterval, [] { return false; });
        }
        last = stop.stop_requested();
        auto reader = telemetry::JournalReader::open(journal_);
        auto written = reader ? follow(*reader, offset, sink) : Result<void>(fail(reader.error()));
        const bool notBegun = !reader && reader.error().code == ErrorCode::NotFound;
        if (!written && !warned && !notBegun) {
            warned = true;
            std::fprintf(stderr, "warning: event files and epochs.csv: %s\n",
                         written.error().message.c_str());
        }
    }
}

}  // namespace lockstep::launch
