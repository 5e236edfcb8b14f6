// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/trace_packets.h"

#include <algorithm>
#include <utility>

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kWriteBytes = 256 << 10;
constexpr std::uint32_t kSequence = 1;
constexpr std::uint32_t kForgetsNames = 1;
constexpr std::uint32_t kNeedsNames = 2;
constexpr std::uint32_t kRealTime = 1;
constexpr std::uint32_t kTraceTime = 6;
constexpr std::int64_t kRounding = 1000;
constexpr std::size_t kMostNames = 4096;  ///< That are written once; others with every event.

}  // namespace

perfetto::TracePacket& TracePackets::packet() {
    one_.clear_packet();
    perfetto::TracePacket& packet = *one_.add_packet();
    packet.set_trusted_packet_sequence_id(kSequence);
    return packet;
}

void TracePackets::send() {
    const std::size_t before = buffer_.size();
    one_.AppendToString(&buffer_);
    bytes_ += buffer_.size() - before;
    if (buffer_.size() >= kWriteBytes) std::ignore = flush();
}

Result<void> TracePackets::flush() {
    if (state_ && !buffer_.empty()) state_ = write_(buffer_);
    buffer_.clear();
    return state_;
}

void TracePackets::begin(std::int64_t now) {
    perfetto::TracePacket& first = packet();
    first.set_sequence_flags(kForgetsNames);
    for (const std::uint32_t clock : {kTraceTime, kRealTime}) {
        auto& reading = *first.mutable_clock_snapshot()->add_clocks();
        reading.set_clock_id(clock);
        reading.set_timestamp(static_cast<std::uint64_t>(now));
    }
    send();
}

perfetto::TrackDescriptor& TracePackets::descriptor(const std::string& name) {
    perfetto::TrackDescriptor& track = *packet().mutable_track_descriptor();
    track.set_uuid(++tracks_);
    if (!name.empty()) track.set_name(name);
    return track;
}

TraceTrack TracePackets::addTrack(const TraceTrack& parent, const std::string& name, int rank) {
    perfetto::TrackDescriptor& track = descriptor(name);
    if (parent.uuid > 0) track.set_parent_uuid(parent.uuid);
    track.set_sibling_order_rank(rank);
    track.set_child_ordering(perfetto::TrackDescriptor::EXPLICIT);
    send();
    return {tracks_};
}

TraceTrack TracePackets::addProcess(std::int32_t pid, const std::string& name, int rank) {
    perfetto::TrackDescriptor& track = descriptor(name);
    track.mutable_process()->set_pid(pid);
    track.mutable_process()->set_process_name(name);
    track.set_sibling_order_rank(rank);
    send();
    return {tracks_};
}

TraceTrack TracePackets::addThread(std::int32_t pid, std::int64_t tid, const std::string& name) {
    perfetto::TrackDescriptor& track = descriptor(name);
    track.mutable_thread()->set_pid(pid);
    track.mutable_thread()->set_tid(tid);
    track.mutable_thread()->set_thread_name(name);
    send();
    return {tracks_};
}

TraceTrack TracePackets::addCounter(const TraceTrack& parent, const std::string& name,
                                    const std::string& unit) {
    perfetto::TrackDescriptor& track = descriptor(name);
    track.set_parent_uuid(parent.uuid);
    if (unit.empty())
        track.mutable_counter();
    else
        track.mutable_counter()->set_unit_name(unit);
    send();
    return {tracks_};
}

perfetto::TrackEvent& TracePackets::event(const TraceTrack& track, std::int64_t time,
                                          perfetto::TrackEvent::Type type) {
    perfetto::TracePacket& next = packet();
    next.set_timestamp(static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0)));
    perfetto::TrackEvent& event = *next.mutable_track_event();
    event.set_type(type);
    event.set_track_uuid(track.uuid);
    return event;
}

/// The number of a text that was written before, or is new and to be written now; 0: too many.
std::uint64_t TracePackets::intern(std::string_view text, bool& isNew) {
    const auto known = names_.find(text);
    isNew = known == names_.end();
    if (!isNew) return known->second;
    if (names_.size() >= kMostNames) return 0;
    return names_.emplace(text, names_.size() + 1).first->second;
}

void TracePackets::describe(perfetto::TracePacket& packet, std::string_view name,
                            std::string_view category, const TraceArguments& arguments) {
    packet.set_sequence_flags(kNeedsNames);
    perfetto::TrackEvent& event = *packet.mutable_track_event();
    bool isNew = false;
    const std::uint64_t number = intern(name, isNew);
    if (number > 0)
        event.set_name_iid(number);
    else
        event.set_name(std::string(name));
    if (number > 0 && isNew) {
        auto& entry = *packet.mutable_interned_data()->add_event_names();
        entry.set_iid(number);
        entry.set_name(std::string(name));
    }
    event.add_categories(std::string(category));
    for (const TraceArgument& argument : arguments) {
        auto& said = *event.add_debug_annotations();
        said.set_name(std::string(argument.name));
        if (const auto* whole = std::get_if<std::uint64_t>(&argument.value))
            said.set_uint_value(*whole);
        else if (const auto* real = std::get_if<double>(&argument.value))
            said.set_double_value(*real);
        else
            said.set_string_value(std::get<std::string>(argument.value));
    }
}

std::int64_t TracePackets::beginSlice(TraceTrack& track, std::int64_t begin, std::string_view name,
                                      std::string_view category, const TraceArguments& arguments) {
    if (track.end - begin > kRounding) ++moved_;
    const std::int64_t placed = std::max(begin, track.end);
    event(track, placed, perfetto::TrackEvent::TYPE_SLICE_BEGIN);
    describe(*one_.mutable_packet(0), name, category, arguments);
    send();
    track.end = placed;
    return placed;
}

void TracePackets::endSlice(TraceTrack& track, std::int64_t end) {
    track.end = std::max(end, track.end);
    event(track, track.end, perfetto::TrackEvent::TYPE_SLICE_END);
    send();
}

void TracePackets::slice(TraceTrack& track, std::int64_t begin, std::int64_t end,
                         std::string_view name, std::string_view category,
                         const TraceArguments& arguments) {
    beginSlice(track, begin, name, category, arguments);
    endSlice(track, end);
}

void TracePackets::instant(const TraceTrack& track, std::int64_t time, std::string_view name,
                           std::string_view category, const TraceArguments& arguments) {
    event(track, time, perfetto::TrackEvent::TYPE_INSTANT);
    describe(*one_.mutable_packet(0), name, category, arguments);
    send();
}

void TracePackets::count(const TraceTrack& counter, std::int64_t time, double value) {
    event(counter, time, perfetto::TrackEvent::TYPE_COUNTER).set_double_counter_value(value);
    send();
}

}  // namespace lockstep::telemetry
