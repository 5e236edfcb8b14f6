// SPDX-License-Identifier: Apache-2.0
#include "core/job/journal_session.h"

#include <utility>

#include "core/job/fold/run_summary.h"
#include "core/job/folding_session.h"
#include "core/run/run_folder.h"
#include "core/telemetry/journal.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

/// Reads a journal to its last whole frame; never waits.
class JournalFile final : public JournalSource {
public:
    JournalFile(telemetry::JournalReader reader, run::RunPaths paths)
        : reader_(std::move(reader)), paths_(std::move(paths)) {
        status_.link.sentence = "reading the run's journal";
        status_.link.isOver = true;
    }

    Result<std::optional<Piece>> next(Nanos /*timeout*/) override {
        auto frames = reader_.read(offset_, kPieceBytes);
        if (!frames || frames->empty()) {
            // What was read is the run all the same.
            finish(frames ? "shown from the run's folder" : frames.error().message);
            return std::nullopt;
        }
        const std::uint64_t offset = std::exchange(offset_, offset_ + frames->size());
        return Piece{offset, std::move(*frames)};
    }

    Status status() const override { return status_; }
    std::string takeWarning() override { return std::exchange(warning_, {}); }

private:
    void finish(std::string sentence) {
        status_.exhausted = true;
        status_.link.caughtUp = true;
        status_.link.sentence = std::move(sentence);
        SummaryFile summary = readSummaryFile(paths_);
        status_.summaryJson = std::move(summary.text);
        status_.summaryProblem = std::move(summary.problem);
        const std::uint64_t size = reader_.size().value_or(offset_);
        if (size > offset_)
            warning_ = telemetry::describe(telemetry::JournalCheck{offset_, size - offset_, {}});
    }

    telemetry::JournalReader reader_;
    const run::RunPaths paths_;
    std::uint64_t offset_ = 0;
    Status status_;
    std::string warning_;
};

}  // namespace

Result<std::unique_ptr<Session>> openJournalSession(const std::filesystem::path& runDir) {
    auto reader = telemetry::JournalReader::open(runDir / "journal");
    if (!reader) return fail(std::move(reader.error()));
    return std::make_unique<FoldingSession>(
        runDir, std::make_unique<JournalFile>(std::move(*reader), run::RunPaths{runDir}));
}

}  // namespace lockstep::job
