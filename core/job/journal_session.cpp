// SPDX-License-Identifier: Apache-2.0
#include "core/job/journal_session.h"

#include <utility>

#include "core/job/folding_session.h"
#include "core/telemetry/journal.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

/// Reads a journal to its last whole frame; never waits.
class JournalFile final : public JournalSource {
public:
    explicit JournalFile(telemetry::JournalReader reader) : reader_(std::move(reader)) {
        status_.link.sentence = "reading the run's journal";
    }

    Result<std::optional<Piece>> next(Nanos /*timeout*/) override {
        auto frames = reader_.read(offset_, kPieceBytes);
        if (!frames) {
            // Damage ends the reading, but what comes before it is the run all the same.
            finish(frames.error().message);
            return std::nullopt;
        }
        if (frames->empty()) {
            finish("read from the run's journal");
            return std::nullopt;
        }
        const std::uint64_t offset = std::exchange(offset_, offset_ + frames->size());
        return Piece{offset, std::move(*frames)};
    }

    Status status() const override { return status_; }

private:
    void finish(std::string sentence) {
        status_.exhausted = true;
        status_.link.caughtUp = true;
        status_.link.sentence = std::move(sentence);
    }

    telemetry::JournalReader reader_;
    std::uint64_t offset_ = 0;
    Status status_;
};

}  // namespace

Result<std::unique_ptr<Session>> openJournalSession(const std::filesystem::path& runDir) {
    auto reader = telemetry::JournalReader::open(runDir / "journal");
    if (!reader) return fail(std::move(reader.error()));
    return std::make_unique<FoldingSession>(runDir,
                                            std::make_unique<JournalFile>(std::move(*reader)));
}

}  // namespace lockstep::job
