// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/job/fold/run_fold.h"

namespace lockstep::job {

/// Where a session gets the journal of its run from: the file of a finished run, or the
/// coordinator of a running one. Used by the session's thread alone, also its destructor.
class JournalSource {
public:
    /// Whole frames of the journal that lie at `offset`.
    struct Piece {
        std::uint64_t offset = 0;
        std::string frames;
    };
    struct Status {
        LinkFacts link;
        bool exhausted = false;        ///< Nothing will come any more: the session's last look.
        std::optional<Ending> ending;  ///< How the run ended, when the journal cannot say it.
        std::string summaryJson{};     ///< Beside a journal that is exhausted; empty: none.
        std::string summaryProblem{};  ///< Why that cannot be read, though it is there.
    };

    JournalSource() = default;
    virtual ~JournalSource() = default;
    JournalSource(const JournalSource&) = delete;
    JournalSource& operator=(const JournalSource&) = delete;

    /// The next piece, without gap to the one before, waiting at most about `timeout` for it. A
    /// failure ends the session: its sentence becomes the connection's.
    [[nodiscard]] virtual Result<std::optional<Piece>> next(Nanos timeout) = 0;
    [[nodiscard]] virtual Status status() const = 0;

    /// Something that goes wrong beside the run, for the user, once; empty: nothing.
    [[nodiscard]] virtual std::string takeWarning() { return {}; }

    /// What the user asked for; nothing to do for a run that has ended.
    virtual void requestStop() {}
    virtual void kill() {}
    virtual void waitLonger() {}
    virtual void drill(const DrillOrder& /*order*/) {}
};

}  // namespace lockstep::job
