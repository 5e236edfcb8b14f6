// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::telemetry {

/// A number that some program wrote into an event file.
struct EventScalar {
    double wallTime = 0;
    std::int64_t step = 0;
    std::string tag;
    double value = 0;
};

/// Takes the scalars out of a TensorBoard event file that grows: simple values and tensors of one
/// number, as TensorFlow, torch, tensorboardX and clu write them. What else is in there (images,
/// histograms, texts, graphs) is passed over. Pure; used by one thread.
class EventReader {
public:
    using OnScalar = std::function<void(const EventScalar&)>;

    /// The next bytes of the file, in pieces of any size. Corrupt: a checksum does not fit; nothing
    /// behind it can be read.
    [[nodiscard]] Result<void> feed(std::string_view bytes, const OnScalar& onScalar);

    /// From the file's beginning to behind the last record that was whole.
    [[nodiscard]] std::uint64_t intactBytes() const { return intact_; }

private:
    std::string waiting_;        ///< The beginning of a record whose end has not come.
    std::uint64_t skip_ = 0;     ///< Bytes to come of a record too large to hold a scalar.
    std::uint64_t skipped_ = 0;  ///< All of that record.
    std::uint64_t intact_ = 0;
};

}  // namespace lockstep::telemetry
