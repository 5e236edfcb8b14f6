// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

#include "ui/bridge/background_task.h"
#include "ui/bridge/job_services.h"
#include "ui/models/job_editor.h"

namespace lockstep::ui {

/// Looks whether the data that the open job names are there, with every change of where they
/// should be, and tells the editor. Belongs to the UI thread; no call waits.
class DataCheck final : public QObject {
    Q_OBJECT
public:
    DataCheck(JobServices services, JobEditor& editor);

    /// Looks again: the disk may have changed.
    void look();

Q_SIGNALS:
    /// What a network must know of the data; nullopt: the disk does not say, `why`.
    void factsFound(const std::optional<lockstep::model::DataFacts>& facts, const QString& why);

private:
    void lookIfMoved();
    void askForFacts();

    JobServices services_;
    JobEditor& editor_;
    BackgroundTask looking_;
    BackgroundTask asking_;
    QString problemKey_;  ///< That the disk was asked about last.
    QString looked_;      ///< What was looked for last.
};

}  // namespace lockstep::ui
