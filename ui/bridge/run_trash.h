// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <functional>

#include "ui/bridge/background_task.h"

namespace lockstep::ui {

/// Moves run folders to the desktop's trash, and back. On worker threads: nothing here waits.
class RunTrash final : public QObject {
    Q_OBJECT
public:
    /// What became of a removal or of its undoing.
    struct Outcome {
        QStringList done;  ///< The folders.
        QString
            problem{};  ///< Why the others are where they were, a sentence; empty: all are done.
    };
    /// `isRunning`: whether some program holds the folder now.
    explicit RunTrash(std::function<bool(const std::filesystem::path&)> isRunning,
                      QObject* parent = nullptr);

    [[nodiscard]] bool isBusy() const { return task_.isBusy(); }
    /// Whether there is something to put back.
    [[nodiscard]] bool hasLast() const { return !last_.isEmpty(); }
    /// Those that run stay. Ignored while it is busy.
    void remove(const QStringList& folders);
    /// Puts back what the last removal took; what cannot be put back may be tried again. Ignored
    /// while it is busy.
    void undo();

Q_SIGNALS:
    void removed(const lockstep::ui::RunTrash::Outcome& outcome);
    void restored(const lockstep::ui::RunTrash::Outcome& outcome);

private:
    struct Moved {
        QString folder;
        QString inTrash;
    };

    std::function<bool(const std::filesystem::path&)> isRunning_;
    BackgroundTask task_;
    QVector<Moved> last_;
};

}  // namespace lockstep::ui
