// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <thread>

namespace lockstep::launch {

/// Follows a run's journal and writes its TensorBoard event files, and epochs.csv if asked, on a
/// thread of its own
/// ("events"): the coordinator's loop never waits for them.
class EventWriter {
public:
    /// Begins behind what `journal` (which need not exist yet) holds now: create it before the
    /// journal's writer.
    /// `epochs`: where the CSV log goes; empty: none is written.
    EventWriter(std::filesystem::path journal, std::filesystem::path events,
                std::filesystem::path epochs = {});
    /// Writes what the journal still holds; call after its last record.
    ~EventWriter();
    EventWriter(const EventWriter&) = delete;
    EventWriter& operator=(const EventWriter&) = delete;

private:
    void loop(const std::stop_token& stop);

    std::filesystem::path journal_;
    std::filesystem::path events_;
    std::filesystem::path epochs_;
    std::uint64_t start_;  ///< Where this run's records begin: a resumed journal has older ones.
    std::jthread thread_;
};

}  // namespace lockstep::launch
