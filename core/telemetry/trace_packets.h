// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/wire/messages/perfetto.pb.h"

namespace lockstep::telemetry {

/// Something that is said of a slice or an instant.
struct TraceArgument {
    std::string_view name;
    std::variant<std::uint64_t, double, std::string> value;
};
using TraceArguments = std::vector<TraceArgument>;

/// A line of the timeline: what lies on it follows one another, or lies within one another.
struct TraceTrack {
    std::uint64_t uuid = 0;
    std::int64_t end = 0;  ///< Of the last slice on it.
};

/// Writes the packets of a trace, some KiB at a time. Times are nanoseconds since 1970. A slice
/// that would begin before the one before it has ended begins there: viewers could not nest it. The
/// first failure of `write` is kept; nothing is written behind it.
class TracePackets {
public:
    explicit TracePackets(std::function<Result<void>(std::string_view)> write)
        : write_(std::move(write)) {}

    /// The first packet: timestamps count from 1970.
    void begin(std::int64_t now);

    [[nodiscard]] TraceTrack addTrack(const TraceTrack& parent, const std::string& name, int rank);
    [[nodiscard]] TraceTrack addProcess(std::int32_t pid, const std::string& name, int rank);
    [[nodiscard]] TraceTrack addThread(std::int32_t pid, std::int64_t tid, const std::string& name);
    [[nodiscard]] TraceTrack addCounter(const TraceTrack& parent, const std::string& name,
                                        const std::string& unit);

    /// Gives where it begins; `end` may lie before it, then it is empty.
    std::int64_t beginSlice(TraceTrack& track, std::int64_t begin, std::string_view name,
                            std::string_view category, const TraceArguments& arguments = {});
    void endSlice(TraceTrack& track, std::int64_t end);
    void slice(TraceTrack& track, std::int64_t begin, std::int64_t end, std::string_view name,
               std::string_view category, const TraceArguments& arguments = {});
    void instant(const TraceTrack& track, std::int64_t time, std::string_view name,
                 std::string_view category, const TraceArguments& arguments = {});
    void count(const TraceTrack& counter, std::int64_t time, double value);

    [[nodiscard]] Result<void> flush();
    [[nodiscard]] const Result<void>& state() const { return state_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    /// Slices that overlapped the one before by more than a microsecond.
    [[nodiscard]] std::uint64_t moved() const { return moved_; }

private:
    perfetto::TracePacket& packet();
    perfetto::TrackDescriptor& descriptor(const std::string& name);
    perfetto::TrackEvent& event(const TraceTrack& track, std::int64_t time,
                                perfetto::TrackEvent::Type type);
    void describe(perfetto::TracePacket& packet, std::string_view name, std::string_view category,
                  const TraceArguments& arguments);
    void send();
    std::uint64_t intern(std::string_view text, bool& isNew);

    std::function<Result<void>(std::string_view)> write_;
    Result<void> state_;
    perfetto::Trace one_;  ///< A trace of one packet: traces are joined by their bytes.
    std::string buffer_;
    std::map<std::string, std::uint64_t, std::less<>> names_;
    std::uint64_t tracks_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t moved_ = 0;
};

}  // namespace lockstep::telemetry
