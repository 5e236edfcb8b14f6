// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

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

    void launch();
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

private:
    void start(const std::string& toml, const std::filesystem::path& folder, bool tied,
               bool resume);
    void noteEnd(const View& view);

    SessionBridge& bridge_;
    JobEditor& editor_;
    RunPlaces places_;
    bool tied_ = false;
    bool launchedHere_ = false;
};

[[nodiscard]] NoticeBar::Notice noticeOf(const Error& error);

}  // namespace lockstep::ui
