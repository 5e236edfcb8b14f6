// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <string>
#include <vector>

#include "ui/bridge/background_task.h"
#include "ui/bridge/session_bridge.h"
#include "ui/models/job_editor.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {

/// Where runs are kept and what starts them.
struct RunPlaces {
    std::filesystem::path runsFolder = "runs";
    std::filesystem::path workerProgram;  ///< Empty: lockstep-worker beside this program.
};

/// What the verbs of the window do to the run: launch the job that is open, resume, stop, and
/// what is said when one of them fails.
class RunController final : public QObject {
    Q_OBJECT
public:
    RunController(SessionBridge& bridge, JobEditor& editor, RunPlaces places, QObject* parent);

    /// Launches at once what this user has launched before; else asks first (consentNeeded).
    void launch();
    /// The answer to consentNeeded was yes.
    void launchAsShown();
    /// Goes on from the newest checkpoint of the present run, in its folder.
    void resume();
    /// Asks to stop; when that was asked before, ends the processes now.
    void stop();

    /// True while a run of this window would end with it.
    [[nodiscard]] bool endsWithWindow() const;
    /// What remains when the window closes, as a sentence; empty when nothing runs.
    [[nodiscard]] QString leftRunningSentence() const;

signals:
    void noticeRaised(const lockstep::ui::NoticeBar::Notice& notice);
    /// The job runs or reaches what this user has not launched before: one sentence each.
    void consentNeeded(const QString& fileName, const QStringList& effects);

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

    void startIfTrusted(Launch launch);
    void start(const Launch& launch);
    void noteEnd(const View& view);

    SessionBridge& bridge_;
    JobEditor& editor_;
    RunPlaces places_;
    BackgroundTask trust_;  ///< Looks up, on the disk, what was launched before.
    Launch next_;
    std::vector<std::string> consented_;  ///< The effects of the last launch of this window.
    bool tied_ = false;
    bool launchedHere_ = false;
};

[[nodiscard]] NoticeBar::Notice noticeOf(const Error& error);

}  // namespace lockstep::ui
