// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>
#include <string>
#include <vector>

#include "ui/bridge/session_bridge.h"
#include "ui/dialogs/close_dialog.h"
#include "ui/models/job_editor.h"
#include "ui/shell/consent_gate.h"
#include "ui/widgets/notice_bar.h"

class QWidget;

namespace lockstep::ui {

/// Where runs are kept and what starts them.
struct RunPlaces {
    std::filesystem::path runsFolder{};   ///< Empty: as for the terminal (core/job/runs_folder.h).
    std::filesystem::path workerProgram;  ///< Empty: lockstep-worker beside this program.
};

/// What the verbs of the window do to the run: launch the job that is open, resume, stop, and
/// what is said when one of them fails.
class RunController final : public QObject {
    Q_OBJECT
public:
    RunController(SessionBridge& bridge, JobEditor& editor, ConsentGate& consent, RunPlaces places,
                  QWidget* window);

    /// Launches at once what this user has launched before; else has it asked first. Says why
    /// where nothing can be launched.
    void launch();
    /// What is to be done before the job that is open can be used; empty: it can.
    [[nodiscard]] QString jobObstacle() const;
    /// Follows the run of a folder; asks first where that logs in for somebody else's run, and
    /// where it ends a tied job. Of the run that goes on here it only says so: `alreadyFollowed`.
    void attach(const std::filesystem::path& runDir);
    /// Lets the present run go; asks first where that ends it.
    void release();
    /// Goes on from the newest checkpoint of the present run, in its folder.
    void resume();
    /// Asks to stop; when that was asked before, ends the processes now.
    void stop();

    /// True when the run that is followed was launched from this window.
    [[nodiscard]] bool launchedHere() const { return followed_.launchedHere; }
    /// True while a run is being opened that goes on elsewhere.
    [[nodiscard]] bool isAttaching() const {
        return bridge_.isOpening() && opening_ && !opening_->launchedHere;
    }
    /// True while a run of this window would end with it.
    [[nodiscard]] bool endsWithWindow() const;
    /// True: no tied job is running, or it may be ended; the user is asked.
    [[nodiscard]] bool mayEndTiedJob(TiedEnd by);
    /// Follows the present run on a terminal; empty when nothing runs.
    [[nodiscard]] QString followCommand() const;
    /// What remains when the window closes, as a sentence; empty when nothing runs.
    [[nodiscard]] QString leftRunningSentence() const;

Q_SIGNALS:
    void alreadyFollowed();
    void noticeRaised(const lockstep::ui::NoticeBar::Notice& notice);

private:
    /// A launch that is under way, or waits for consent.
    struct Launch {
        std::string toml;
        std::filesystem::path jobFile;
        std::filesystem::path folder;
        bool tied = false;
        bool resume = false;
        std::vector<std::string> effects{};
    };

    /// Where a run that is followed comes from.
    struct Origin {
        bool launchedHere = false;
        bool tied = false;
    };

    [[nodiscard]] bool follows(const std::filesystem::path& runDir) const;
    [[nodiscard]] bool goesOnAlone() const;
    void startIfTrusted(const Launch& launch);
    void start(const Launch& launch);
    void noteEnd(const View& view);

    QWidget* window_;
    SessionBridge& bridge_;
    JobEditor& editor_;
    ConsentGate& consent_;
    RunPlaces places_;
    Origin followed_;
    std::optional<Origin> opening_;  ///< Becomes the former once its session is there.
};

[[nodiscard]] NoticeBar::Notice noticeOf(const Error& error);

/// What trust in a job is kept under: its file. Of a job without one its title, a relative path;
/// trust in it is not kept.
[[nodiscard]] std::filesystem::path trustedAs(const JobEditor& editor);

}  // namespace lockstep::ui
