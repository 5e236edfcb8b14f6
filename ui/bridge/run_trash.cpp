// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_trash.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace lockstep::ui {
namespace {

/// The trash describes each thing beside it: what is taken back is no longer there.
void forgetInTrash(const QString& inTrash) {
    const QFileInfo place(inTrash);
    QFile::remove(
        place.dir().filePath(QStringLiteral("../info/%1.trashinfo").arg(place.fileName())));
}

}  // namespace

RunTrash::RunTrash(std::function<bool(const std::filesystem::path&)> isRunning, QObject* parent)
    : QObject(parent), isRunning_(std::move(isRunning)) {}

void RunTrash::remove(const QStringList& folders) {
    if (task_.isBusy()) return;
    struct Answer {
        QVector<Moved> moved;
        Outcome outcome;
    };
    const auto work = [folders, isRunning = isRunning_] {
        Answer answer;
        for (const QString& folder : folders) {
            QString inTrash;
            if (isRunning && isRunning(folder.toStdString())) {
                answer.outcome.problem = tr("%1 runs. Stop it first.").arg(folder);
            } else if (QFile::moveToTrash(folder, &inTrash)) {
                answer.moved.push_back({folder, inTrash});
                answer.outcome.done << folder;
            } else {
                answer.outcome.problem =
                    tr("%1 cannot be moved to the trash: there is none on its disk, or the folder "
                       "may not be changed.")
                        .arg(folder);
            }
        }
        return answer;
    };
    task_.start(work, [this](Answer answer) {
        if (!answer.moved.isEmpty()) last_ = std::move(answer.moved);
        Q_EMIT removed(answer.outcome);
    });
}

void RunTrash::undo() {
    if (task_.isBusy()) return;
    const auto work = [moved = std::exchange(last_, {})] {
        Outcome outcome;
        for (const Moved& each : moved) {
            const bool isFree = !QFileInfo::exists(each.folder);
            if (isFree && QDir().rename(each.inTrash, each.folder)) {
                forgetInTrash(each.inTrash);
                outcome.done << each.folder;
            } else {
                outcome.problem = isFree ? tr("%1 is no longer in the trash.").arg(each.folder)
                                         : tr("%1 is there again already.").arg(each.folder);
            }
        }
        return outcome;
    };
    task_.start(work, [this](const Outcome& outcome) { Q_EMIT restored(outcome); });
}

}  // namespace lockstep::ui
