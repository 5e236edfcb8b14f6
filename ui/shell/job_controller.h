// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "ui/bridge/job_store.h"
#include "ui/models/job_editor.h"
#include "ui/shell/recent_jobs.h"

class QWidget;

namespace lockstep::ui {

/// The job file of the window: opening, saving, recovering what was not saved, recent files.
class JobController final : public QObject {
    Q_OBJECT
public:
    /// `exampleJob`: the file that Open example opens; may be empty.
    JobController(QWidget& window, QString exampleJob, const QString& stateFolder);

    [[nodiscard]] JobEditor& editor() { return editor_; }
    [[nodiscard]] JobStore& store() { return store_; }
    [[nodiscard]] RecentJobs& recent() { return recent_; }

    void chooseAndOpen();
    void openExample();
    /// Asks first when the present job has unsaved changes.
    void open(const QString& path);
    void save();
    void saveAs();
    /// False: the user wants to go on editing. Unsaved changes are saved or discarded otherwise.
    [[nodiscard]] bool confirmLeaving();
    void recover(const JobStore::Recovery& recovery);

signals:
    void failed(const lockstep::Error& error);
    void saved(const QString& path);

private:
    void noteChange();

    QWidget& window_;
    QString exampleJob_;
    JobEditor editor_;
    JobStore store_;
    RecentJobs recent_;
};

}  // namespace lockstep::ui
