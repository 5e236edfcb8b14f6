// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "core/job/fold/session.h"
#include "ui/bridge/job_store.h"
#include "ui/models/job_editor.h"
#include "ui/shell/recent_jobs.h"

class QWidget;

namespace lockstep::ui {

/// The job file of the window: opening, saving, recovering what was not saved, recent files.
class JobController final : public QObject {
    Q_OBJECT
public:
    /// What is installed for a beginning.
    struct Beginnings {
        QString example;   ///< The file that Open example opens a copy of; may be empty.
        QString starters;  ///< The folder of those that openStarter() copies; may be empty.
    };

    JobController(QWidget& window, Beginnings beginnings, const QString& stateFolder);

    [[nodiscard]] JobEditor& editor() { return editor_; }
    [[nodiscard]] JobStore& store() { return store_; }
    [[nodiscard]] RecentJobs& recent() { return recent_; }

    // What opens a job asks first when the present one has unsaved changes.
    void chooseAndOpen();
    void openExample();
    /// A copy of a starter ("houses"): a job that runs, on the data that lie beside the starter.
    void openStarter(const QString& name);
    void open(const QString& path);
    /// The job of a run, as one without a file that can be launched anew.
    void openJobOf(const job::RunView& run);
    /// The same, beginning with the weights in this file; `failed` where that cannot be.
    void openJobFrom(const job::RunView& run, const QString& weights);
    /// The job file in a run's folder, as an untitled copy: it stays, whatever run is followed.
    void openJobIn(const QString& runDir);
    [[nodiscard]] bool showsJobOf(const std::filesystem::path& runDir) const;
    void recover(const JobStore::Recovery& recovery);  ///< Asks too; `recovered` follows.

    /// False: the user named no file.
    bool save();
    bool saveAs();
    /// True: nothing of the job keeps the user here, or its changes are to be discarded. False:
    /// the user goes on editing, or the changes are being saved; `later` is called when that has
    /// succeeded.
    [[nodiscard]] bool mayLeave(std::function<void()> later);
    /// The changes are given up: nothing to recover. What an earlier window left stays.
    void discardChanges();

Q_SIGNALS:
    void failed(const lockstep::Error& error);
    void saved(const QString& path);
    void recovered();
    /// A job made of a run's is open.
    void begun();

private:
    void noteChange();
    void noteSaved(const QString& path, const QString& text);
    [[nodiscard]] QString proposedPath() const;
    void leaveFor(const std::function<void()>& open);
    void copy(const QString& file, const std::function<void(const QString& text)>& openCopy);

    QWidget& window_;
    Beginnings beginnings_;
    std::function<void(const QString& text)> openCopy_;  ///< Of the file that is being read.
    JobEditor editor_;
    JobStore store_;
    RecentJobs recent_;
    bool keepsUnsaved_ = false;        ///< The unsaved text in the state folder is of this window.
    bool holdsRecovered_ = false;      ///< What an earlier window left is edited here.
    std::function<void()> afterSave_;  ///< What waits for the changes to be saved.
};

}  // namespace lockstep::ui
