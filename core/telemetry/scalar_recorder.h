// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "core/telemetry/scalar_series.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// Named figures of one replica (or of the job) on their way into the run's journal: whoever
/// measures adds, whoever sends takes. Registers each name once. Pure; guarded by its owner.
class ScalarRecorder {
public:
    static constexpr std::size_t kMostWaiting = 65'536;  ///< Values between two takes.

    enum class Added : std::uint8_t {
        Yes,
        Refused,  ///< No figure of a run: its name, its step, or one name too many. Counted.
        Full,     ///< As many as may wait do: take first, then add it again.
    };

    /// `replica`: kWholeJob for figures of the run.
    ScalarRecorder(wire::Role role, int replica) : role_(role), replica_(replica) {}

    /// `name` as a tag in TensorBoard ("train/f1"); `wallTime` in seconds since 1970. The unit is
    /// what the first value of a name brings.
    Added add(std::string_view name, std::uint64_t step, double wallTime, double value,
              std::string_view unit = {});

    /// Registers a name before its first value, so that several senders of the same figures give
    /// them the same ids.
    void introduce(std::string_view name) { std::ignore = idOf(name, {}); }

    /// Appends everything added since the last take: names that are new, then values.
    void take(std::vector<wire::Record>& records);

    /// Values that the next take gives.
    [[nodiscard]] std::size_t waiting() const { return waitingCount_; }
    /// Why values were refused, a sentence for each reason, said once; empty: nothing new.
    [[nodiscard]] std::vector<std::string> takeComplaints();
    /// How many values were refused, and of how many names, for the end; empty: those of which a
    /// complaint told were all.
    [[nodiscard]] std::string refusedInAll() const;

private:
    enum Reason : std::uint8_t { NoName, LongName, TooManyNames, FarStep, ReasonCount };

    [[nodiscard]] std::uint32_t idOf(std::string_view name, std::string_view unit);
    Added refuse(Reason reason, std::string_view name);
    void takeValues(std::vector<wire::Record>& records);

    struct Value {
        std::uint64_t step = 0;
        double wallTime = 0;
        double value = 0;
    };

    const wire::Role role_;
    const int replica_;
    std::map<std::string, std::uint32_t, std::less<>> ids_;
    std::vector<wire::Record> unregistered_;
    std::map<std::uint32_t, std::vector<Value>> waiting_;  // by id
    std::size_t waitingCount_ = 0;
    std::uint64_t refused_ = 0;
    std::unordered_set<std::size_t> refusedNames_;  ///< Their hashes.
    bool complained_[ReasonCount] = {};
    std::vector<std::string> complaints_;
};

}  // namespace lockstep::telemetry
