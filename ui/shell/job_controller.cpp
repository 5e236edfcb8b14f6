// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/job_controller.h"

#include <QFileDialog>
#include <QFileInfo>

#include "ui/dialogs/close_dialog.h"

namespace lockstep::ui {

JobController::JobController(QWidget& window, QString exampleJob, const QString& stateFolder)
    : QObject(&window), window_(window), exampleJob_(std::move(exampleJob)), store_(stateFolder) {
    connect(&store_, &JobStore::loaded, this, [this](const QString& path, const QString& text) {
        editor_.open(path, text);
        recent_.add(QFileInfo(path).absoluteFilePath());
    });
    connect(&store_, &JobStore::saved, this, [this](const QString& path, const QString& text) {
        editor_.noteSaved(path, text);
        recent_.add(QFileInfo(path).absoluteFilePath());
        if (!editor_.isModified()) store_.discardAutosave();
        emit saved(path);
    });
    connect(&store_, &JobStore::failed, this, &JobController::failed);
    connect(&editor_, &JobEditor::editRefused, this, &JobController::failed);
    connect(&editor_, &JobEditor::changed, this, &JobController::noteChange);
}

void JobController::noteChange() {
    if (editor_.isModified()) store_.autosaveSoon(editor_.path(), editor_.text());
}

void JobController::chooseAndOpen() {
    const QString folder = QFileInfo(editor_.path()).path();
    const QString path = QFileDialog::getOpenFileName(&window_, tr("Open job"), folder,
                                                      tr("Job files (*.toml);;All files (*)"));
    if (!path.isEmpty()) open(path);
}

void JobController::openExample() {
    if (exampleJob_.isEmpty()) {
        emit failed({ErrorCode::NotFound, "The example job is not installed.",
                     "Open a job file of your own with File, Open job."});
        return;
    }
    open(exampleJob_);
}

void JobController::open(const QString& path) {
    if (confirmLeaving()) store_.load(path);
}

void JobController::save() {
    if (editor_.path().isEmpty())
        saveAs();
    else
        store_.save(editor_.path(), editor_.text());
}

void JobController::saveAs() {
    const QString path = QFileDialog::getSaveFileName(
        &window_, tr("Save job"), editor_.path().isEmpty() ? editor_.fileName() : editor_.path(),
        tr("Job files (*.toml)"));
    if (!path.isEmpty()) store_.save(path, editor_.text());
}

bool JobController::confirmLeaving() {
    if (!editor_.isModified()) return true;
    switch (askToSave(&window_, editor_.fileName())) {
        case SaveAnswer::Save:
            save();
            return true;
        case SaveAnswer::Discard:
            store_.discardAutosave();
            return true;
        case SaveAnswer::Cancel:
            break;
    }
    return false;
}

void JobController::recover(const JobStore::Recovery& recovery) {
    editor_.open(recovery.path, recovery.text, QString());
}

}  // namespace lockstep::ui
