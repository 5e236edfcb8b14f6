// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/server/journal_watch.h"

#include <fmt/format.h>

namespace lockstep::coordination {

namespace {

constexpr Nanos kPatience = std::chrono::seconds(3);  // with a disk that does not answer
constexpr Nanos kRepeat = std::chrono::seconds(10);

std::string megabytes(std::uint64_t bytes) {
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

std::string lostText(const telemetry::JournalStatus& status) {
    return fmt::format("{} of the run's records {} lost: {}", status.lostRecords,
                       status.lostRecords == 1 ? "is" : "are", status.lostSince);
}

}  // namespace

std::optional<std::string> JournalWatch::look(const telemetry::JournalStatus& status, Nanos now) {
    if (status.misplaced != saidMisplaced_) {
        saidMisplaced_ = status.misplaced;
        return saidMisplaced_.empty() ? "the journal is where it was again" : saidMisplaced_;
    }
    if (status.lostRecords > saidLost_ && (saidLost_ == 0 || now - saidLostAt_ >= kRepeat)) {
        saidLost_ = status.lostRecords;
        saidLostAt_ = now;
        return lostText(status);
    }
    const bool stalled = !status.error.empty() || status.stalledFor >= kPatience;
    if (stalled == saidStalled_) return std::nullopt;
    saidStalled_ = stalled;
    if (!stalled) return "the journal is written again; what had waited is in it";
    const std::string waiting = megabytes(status.waitingBytes);
    if (!status.error.empty())
        return fmt::format(
            "the journal cannot be written ({}): {} wait in memory, it is tried "
            "again; training goes on",
            status.error, waiting);
    return fmt::format(
        "the disk of the journal has not answered for {:.0f} s: {} wait in memory; "
        "training goes on",
        Seconds(status.stalledFor).count(), waiting);
}

std::string missingRecords(const telemetry::JournalStatus& status) {
    std::string text = status.misplaced;
    const auto add = [&text](const std::string& more) {
        if (!text.empty()) text += "; ";
        text += more;
    };
    if (status.lostRecords > 0) add(lostText(status));
    if (status.waitingBytes > 0)
        add(fmt::format("{} of the journal were not written when the run ended: {}",
                        megabytes(status.waitingBytes),
                        status.error.empty() ? "the disk does not answer" : status.error));
    return text;
}

}  // namespace lockstep::coordination
