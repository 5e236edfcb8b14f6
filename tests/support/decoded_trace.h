// SPDX-License-Identifier: Apache-2.0
// A timeline as a viewer of Perfetto's format understands it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/wire/messages/perfetto.pb.h"

namespace lockstep::tests {

struct TraceSlice {
    std::uint64_t track = 0;
    std::string name;
    std::uint64_t step = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t depth = 0;
    std::uint64_t number = 0;  ///< From 1 on, in the order in which slices begin.
    std::uint64_t parent = 0;  ///< Its number; 0: it lies in none.
};

struct TraceValue {
    std::int64_t time = 0;
    double value = 0;
};

struct DecodedTrace {
    std::map<std::uint64_t, perfetto::TrackDescriptor> tracks;
    std::vector<TraceSlice> slices;  ///< In the order in which they end.
    std::vector<std::pair<std::string, std::int64_t>> instants;
    std::map<std::uint64_t, std::vector<TraceValue>> counters;  ///< By track.
    std::vector<std::string> faults;  ///< What a viewer would stumble over.

    [[nodiscard]] int count(std::string_view name) const {
        return static_cast<int>(std::ranges::count(slices, name, &TraceSlice::name));
    }
    [[nodiscard]] std::vector<TraceSlice> of(const std::string& track) const {
        std::vector<TraceSlice> found;
        for (const TraceSlice& slice : slices)
            if (tracks.at(slice.track).name() == track) found.push_back(slice);
        return found;
    }
    /// The tracks of that name lie in that of `process`, where one is given.
    [[nodiscard]] std::vector<TraceValue> valuesOf(const std::string& counter,
                                                   const std::string& process = {}) const {
        std::vector<TraceValue> found;
        for (const auto& [track, values] : counters) {
            const auto parent = tracks.find(tracks.at(track).parent_uuid());
            const bool isOf = process.empty() || (parent != tracks.end() &&
                                                  parent->second.name().starts_with(process));
            if (tracks.at(track).name() == counter && isOf)
                found.insert(found.end(), values.begin(), values.end());
        }
        return found;
    }
    [[nodiscard]] std::string faultText() const {
        std::string text;
        for (const std::string& fault : faults)
            text += fault + "\n";
        return text;
    }
};

/// Takes one packet after the other.
class TraceDecoder {
public:
    void take(const perfetto::TracePacket& packet) {
        if (packet.has_track_descriptor())
            trace_.tracks[packet.track_descriptor().uuid()] = packet.track_descriptor();
        for (const auto& name : packet.interned_data().event_names())
            names_[name.iid()] = name.name();
        if (!packet.has_track_event()) return;
        const perfetto::TrackEvent& event = packet.track_event();
        const auto time = static_cast<std::int64_t>(packet.timestamp());
        if (!trace_.tracks.contains(event.track_uuid()))
            return complain("an event comes before its track");
        switch (event.type()) {
            case perfetto::TrackEvent::TYPE_SLICE_BEGIN:
                return begin(event, time);
            case perfetto::TrackEvent::TYPE_SLICE_END:
                return end(event.track_uuid(), time);
            case perfetto::TrackEvent::TYPE_INSTANT:
                return void(trace_.instants.emplace_back(nameOf(event), time));
            case perfetto::TrackEvent::TYPE_COUNTER:
                return trace_.counters[event.track_uuid()].push_back(
                    {time, event.double_counter_value()});
            default:
                return complain("an event of no kind");
        }
    }
    void complain(std::string sentence) { trace_.faults.push_back(std::move(sentence)); }

    DecodedTrace finish() {
        for (const auto& [track, stack] : open_)
            for (const TraceSlice& slice : stack)
                complain(slice.name + " does not end");
        checkParents();
        checkSiblings();
        checkCorrections();
        return std::move(trace_);
    }

private:
    std::string nameOf(const perfetto::TrackEvent& event) {
        return event.name_iid() > 0 ? names_[event.name_iid()] : event.name();
    }
    /// A viewer puts events in the order of their times: on a track that must be theirs already.
    void move(std::uint64_t track, std::int64_t time) {
        std::int64_t& newest = newest_[track];
        if (time < newest) complain("time goes back on " + trace_.tracks[track].name());
        newest = time;
    }
    void begin(const perfetto::TrackEvent& event, std::int64_t time) {
        move(event.track_uuid(), time);
        std::vector<TraceSlice>& stack = open_[event.track_uuid()];
        TraceSlice slice{.track = event.track_uuid(),
                         .name = nameOf(event),
                         .begin = time,
                         .depth = stack.size(),
                         .number = ++begun_,
                         .parent = stack.empty() ? 0 : stack.back().number};
        for (const auto& said : event.debug_annotations())
            if (said.name() == "step") slice.step = said.uint_value();
        stack.push_back(std::move(slice));
    }
    void end(std::uint64_t track, std::int64_t time) {
        move(track, time);
        std::vector<TraceSlice>& stack = open_[track];
        if (stack.empty()) return complain("an end without a begin");
        stack.back().end = time;
        trace_.slices.push_back(std::move(stack.back()));
        stack.pop_back();
    }

    void checkParents() {
        std::map<std::uint64_t, const TraceSlice*> byNumber;
        for (const TraceSlice& slice : trace_.slices)
            byNumber[slice.number] = &slice;
        for (const TraceSlice& slice : trace_.slices) {
            if (slice.end < slice.begin) complain(slice.name + " ends before it begins");
            const auto parent = byNumber.find(slice.parent);
            if (parent == byNumber.end()) continue;
            if (slice.begin < parent->second->begin || slice.end > parent->second->end)
                complain(slice.name + " is not within its " + parent->second->name);
        }
    }
    void checkSiblings() {
        std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<const TraceSlice*>> families;
        for (const TraceSlice& slice : trace_.slices)
            families[{slice.track, slice.parent}].push_back(&slice);
        for (auto& [family, slices] : families) {
            std::ranges::sort(slices, {}, &TraceSlice::number);
            for (std::size_t i = 1; i < slices.size(); ++i)
                if (slices[i]->begin < slices[i - 1]->end)
                    complain(slices[i]->name + " begins before " + slices[i - 1]->name + " ends");
        }
    }
    /// A clock that is put right runs forward: it is never corrected by more than what has passed.
    void checkCorrections() {
        for (const auto& [track, values] : trace_.counters) {
            if (trace_.tracks[track].name() != "clock corrected by") continue;
            for (std::size_t i = 1; i < values.size(); ++i) {
                const double passed =
                    1e-6 * static_cast<double>(values[i].time - values[i - 1].time);
                if (passed <= 0 || std::abs(values[i].value - values[i - 1].value) >= passed)
                    complain("a corrected clock goes back");
            }
        }
    }

    DecodedTrace trace_;
    std::map<std::uint64_t, std::string> names_;
    std::map<std::uint64_t, std::vector<TraceSlice>> open_;  ///< By track, the outermost first.
    std::map<std::uint64_t, std::int64_t> newest_;           ///< Of slices, by track.
    std::uint64_t begun_ = 0;
};

inline DecodedTrace decodeTrace(const perfetto::Trace& trace) {
    TraceDecoder decoder;
    for (const perfetto::TracePacket& packet : trace.packet())
        decoder.take(packet);
    return decoder.finish();
}

inline DecodedTrace decodeTrace(const std::string& bytes) {
    perfetto::Trace trace;
    if (trace.ParseFromString(bytes)) return decodeTrace(trace);
    TraceDecoder decoder;
    decoder.complain("it is no trace");
    return decoder.finish();
}

}  // namespace lockstep::tests
