// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/primary_verb.h"

#include "ui/models/resume_point.h"
#include "ui/models/words.h"
#include "ui/style/translated.h"

namespace lockstep::ui {
namespace {

QString keys(QKeyCombination combination) {
    return QKeySequence(combination).toString(QKeySequence::NativeText);
}

ButtonState presentButton(const RunSituation& situation) {
    if (situation.opening && situation.attaching)
        return {Verb::Wait, false, tr("Opening"), tr("The run is being opened")};
    if (situation.opening) {
        return {Verb::Wait, false, tr("Launching"), tr("The run is being started")};
    }
    const job::RunView* view = situation.view;
    if (view != nullptr && !isEnded(view->state)) {
        if (situation.stopRequested) {
            return {Verb::Kill, true, tr("Kill now"),
                    tr("Stopping after the step in flight. Press again to end the processes now; "
                       "steps since the last checkpoint are lost")};
        }
        return {Verb::Stop, true, tr("Stop"),
                tr("End after the step in flight, with a checkpoint (%1)").arg(keys(kStopKeys))};
    }
    if (view != nullptr && canResume(*view)) {
        return {Verb::Resume, true, tr("Resume"),
                tr("Go on from the newest checkpoint of this run (%1)").arg(keys(kResumeKeys))};
    }
    if (!situation.hasJob) return {Verb::Launch, false, tr("Launch"), tr("Open a job first")};
    if (situation.jobHasErrors) {
        return {Verb::Launch, false, tr("Launch"),
                tr("Correct the problems on the Job page first")};
    }
    if (view != nullptr) {
        return {
            Verb::Launch, true, tr("Launch anew"),
            tr("Start this job as a new run, in a folder of its own (%1)").arg(keys(kLaunchKeys))};
    }
    return {Verb::Launch, true, tr("Launch"), tr("Start this job (%1)").arg(keys(kLaunchKeys))};
}

}  // namespace

QString pastObstacle() {
    return tr("You see the run as it was. Go back to now (End) to act on it");
}

ButtonState primaryButton(const RunSituation& situation) {
    ButtonState state = presentButton(situation);
    if (!situation.past) return state;
    state.enabled = false;
    state.toolTip = pastObstacle();
    return state;
}

}  // namespace lockstep::ui
