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
                answer.outcome.problem =
                    tr("%1 runs, or may go on where it is not seen from here. Stop it first; open "
                       "it to see how it is.")
                        .arg(folder);
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
    struct Answer {
        QVector<Moved> left;
        Outcome outcome;
    };
    const auto work = [moved = std::exchange(last_, {})] {
        Answer answer;
        for (const Moved& each : moved) {
            const bool isFree = !QFileInfo::exists(each.folder);
            if (isFree && QDir().rename(each.inTrash, each.folder)) {
                forgetInTrash(each.inTrash);
                answer.outcome.done << each.folder;
                continue;
            }
            const bool isThere = QFileInfo::exists(each.inTrash);
            if (isThere) answer.left.push_back(each);
            answer.outcome.problem =
                !isFree    ? tr("%1 is there again already.").arg(each.folder)
                : !isThere ? tr("%1 is no longer in the trash.").arg(each.folder)
                           : tr("%1 cannot be put back: its place is gone, or may not be changed.")
                                 .arg(each.folder);
        }
        return answer;
    };
    task_.start(work, [this](Answer answer) {
        last_ = std::move(answer.left);
        Q_EMIT restored(answer.outcome);
    });
}

}  // namespace lockstep::ui
