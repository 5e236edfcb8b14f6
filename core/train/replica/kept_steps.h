// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/telemetry/step_ring.h"

namespace lockstep::train {

/// What a replica knows behind a step, beside its shares of the flat buffers. Views of what
/// somebody else owns.
struct KeptFigures {
    double lossSum = 0;  ///< Of the epoch in progress, as SplitScore has them; as the next two.
    double correct = 0;
    double samples = 0;
    std::int64_t skippedSteps = 0;
    std::span<const double> metrics{};  ///< This replica's sums of the epoch in progress.
    std::span<const float> statistics{};
};

/// What the memory is made for. Where the fingerprint is another than that of what lies there,
/// nothing of it is used.
struct KeptShape {
    std::size_t parameters = 0;
    int moments = 0;
    std::size_t statistics = 0;
    std::size_t metrics = 0;
    std::size_t buckets = 0;
    int replicas = 1;  ///< Of this process.
    std::uint64_t fingerprint = 1;
};

class KeptReplica;

/// The newest two steps of a process's replicas, in memory that outlives the process: whoever takes
/// its place goes on from there. Each replica keeps its own shares of the weights and moments,
/// which together with those of the others of its host are the whole; so a step can be gone on from
/// where every process of the job has it whole. Two slots take turns: the older step is written
/// over by the next one, which no replica updates before all have kept the one in between (the sums
/// of the next step wait for them). A replica's word says that its part of a slot is complete, and
/// its checksum that it is as it was written.
class KeptSteps {
public:
    /// `fd`: a memfd, empty before its first use. Unavailable: no memory.
    [[nodiscard]] static Result<std::unique_ptr<KeptSteps>> open(int fd, const KeptShape& shape);
    ~KeptSteps();
    KeptSteps(const KeptSteps&) = delete;
    KeptSteps& operator=(const KeptSteps&) = delete;

    /// Of local replica `local`: its step thread's own.
    [[nodiscard]] KeptReplica& replica(int local) {
        return *replicas_[static_cast<std::size_t>(local)];
    }

    /// The steps that all replicas of the process have whole, newest first; all bytes are looked
    /// at.
    [[nodiscard]] std::vector<std::int64_t> wholeSteps() const;
    /// Why there are none, or none newer: a sentence's end; empty where nothing is wrong.
    [[nodiscard]] std::string trouble() const;

    /// Which run's these steps are: a number that all processes of a run are given when it begins,
    /// and go on with where they go on from here. 0: nobody's.
    [[nodiscard]] std::uint64_t lineage() const;
    /// Whether distrust() has been called since.
    [[nodiscard]] bool isDistrusted() const;

    /// What is kept of any other step is forgotten; 0: all of it. What comes is of `lineage`, and
    /// comes behind `start`, where the run goes on from; -1: behind `step`.
    void keepOnly(std::int64_t step, std::uint64_t lineage = 0, std::int64_t start = -1);
    /// Nothing that is kept is to be gone on from, by nobody, because `why`. Any thread.
    void distrust(std::string_view why);

private:
    friend class KeptReplica;
    struct Header;
    struct Places;

    KeptSteps(int fd, const KeptShape& shape, std::byte* memory, std::size_t bytes);
    void note(std::string_view why);
    [[nodiscard]] std::byte* slotOf(int local, std::size_t slot) const;
    [[nodiscard]] std::byte* recordsOf(int local) const;
    [[nodiscard]] std::byte* textOf(int local, std::size_t slot) const;
    [[nodiscard]] std::span<float> array(std::size_t slot, int index) const;

    const int fd_;
    const KeptShape shape_;
    std::byte* const memory_;
    const std::size_t bytes_;
    Header* header_;
    Mutex mutex_;  ///< For the reason in the header.
    std::vector<std::unique_ptr<KeptReplica>> replicas_;
};

/// One replica's part of it. One thread.
class KeptReplica {
public:
    static constexpr std::size_t kSlots = 2;
    /// Elements that are copied and summed at once: they stay in the processor's first cache.
    static constexpr std::size_t kBlock = 2048;
    /// As many as a sender is late: it looks twenty times a second.
    static constexpr std::size_t kRecords = 8192;

    KeptReplica(KeptSteps& all, int local);

    /// The slot of the step before last is written from here on.
    void begin(std::int64_t step);
    /// Of begin()'s step: which part of the bucket is this replica's. Unavailable: no memory.
    [[nodiscard]] Result<void> takeShare(std::size_t bucket, const collective::Range& share);
    /// A part of that share, which begins at a multiple of kBlock behind its beginning, is as the
    /// step's update has left it. Each once.
    void copy(const collective::Range& range, std::span<const float> parameters,
              std::span<const std::span<float>> moments);
    /// What changes at epochs' ends: kept with the steps from here on. Unavailable: it is too long.
    [[nodiscard]] Result<void> setText(std::string text);
    /// All shares of begin()'s step were copied: now it is whole.
    void complete(const KeptFigures& figures, const telemetry::StepRecord& record);

    /// Records up to `step` are on their way to the coordinator. The sender's thread.
    void told(std::int64_t step);
    /// The run goes on from `step`: none behind it has been told.
    void goBack(std::int64_t step);
    /// Records of steps up to this one that no former life has told, the newest kRecords at most.
    [[nodiscard]] std::vector<telemetry::StepRecord> untold(std::int64_t step) const;

    /// Of a whole step: its text; empty where it has none, or is not there.
    [[nodiscard]] std::string text(std::int64_t step) const;
    [[nodiscard]] KeptFigures figures(
        std::int64_t step) const;  ///< Until the slot is written over.
    /// Puts this replica's shares of it into the flat buffers.
    void restore(std::int64_t step, std::span<float> parameters,
                 std::span<const std::span<float>> moments) const;

    /// Of a slot; 0: nothing whole is in it.
    [[nodiscard]] std::int64_t wholeStep(std::size_t slot) const;
    /// Whether a slot's word says a step, and its bytes are others.
    [[nodiscard]] bool isDamaged(std::size_t slot) const;
    void forget(std::size_t slot);
    [[nodiscard]] std::int64_t wordOf(std::size_t slot) const;

private:
    struct Slot;
    struct Records;

    [[nodiscard]] Records& records() const;
    [[nodiscard]] Slot& slot(std::size_t index) const;
    [[nodiscard]] std::span<collective::Range> shares(std::size_t slot) const;
    [[nodiscard]] std::span<double> metrics(std::size_t slot) const;
    [[nodiscard]] std::span<float> statistics(std::size_t slot) const;
    [[nodiscard]] std::uint64_t sumOfDetails(std::size_t slot) const;
    [[nodiscard]] std::uint64_t sumOf(std::size_t slot) const;
    [[nodiscard]] static std::size_t slotOf(std::int64_t step) {
        return static_cast<std::size_t>(step) % kSlots;
    }

    KeptSteps& all_;
    const int local_;
    std::int64_t step_ = 0;  ///< That is being written.
    std::uint64_t sum_ = 0;  ///< Of what has been copied of it.
    std::string text_;
    std::uint64_t textSum_;
    std::array<bool, kSlots> hasText_{};               ///< The slot has text_.
    std::array<std::vector<bool>, kSlots> hasMemory_;  ///< By bucket.
};

}  // namespace lockstep::train
