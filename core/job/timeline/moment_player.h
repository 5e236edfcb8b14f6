// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/job/fold/arrivals.h"
#include "core/job/logs/log_book.h"
#include "core/job/timeline/run_timeline.h"

namespace lockstep::job {

/// Shows a run as it was: the fold of its journal up to a moment is what whoever watched knew then.
/// Forward only what lies between is read; backward, everything from the beginning. Reads the disk:
/// not for the UI thread. Used by one thread at a time.
class MomentPlayer {
public:
    explicit MomentPlayer(std::filesystem::path runDir);
    ~MomentPlayer();
    MomentPlayer(const MomentPlayer&) = delete;
    MomentPlayer& operator=(const MomentPlayer&) = delete;

    struct Shown {
        RunMoment moment;
        /// `arrivals` are all that there were; else, those behind what was shown last.
        bool fromStart = true;
        std::shared_ptr<const RunView> view;  ///< RunView::momentWallTime says when.
        std::vector<Arrivals> arrivals;       ///< In pieces of some thousand steps.
        /// All lines until then. Another one where it comes from the start; else the same, grown.
        std::shared_ptr<const LogBook> log;
    };
    /// How much of the way is done, 0 to 1; false: it is given up.
    using Watch = std::function<bool(double fraction)>;
    /// Nothing: given up; the next call takes up what was read. NotFound when the folder holds no
    /// journal; Io when it cannot be read.
    [[nodiscard]] Result<std::optional<Shown>> show(const RunMoment& moment,
                                                    const Watch& watch = {});

private:
    class Player;
    std::filesystem::path runDir_;
    std::unique_ptr<Player> player_;
};

}  // namespace lockstep::job
