// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/job_controller.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include "ui/dialogs/close_dialog.h"

namespace lockstep::ui {
namespace {

QString titleOf(const std::filesystem::path& runDir) {
    return JobController::tr("job of %1").arg(QString::fromStdString(runDir.filename().string()));
}

/// Sets a list of texts, those of them that name a file in the folder by its whole path.
void placeFiles(config::JobDocument& document, const char* key,
                const std::vector<std::string>& texts, const QDir& folder) {
    if (texts.empty()) return;
    QStringList placed;
    for (const std::string& text : texts) {
        const QString name = QString::fromStdString(text);
        const QString whole = folder.exists(name) ? folder.absoluteFilePath(name) : name;
        placed << QString::fromStdString(config::tomlString(whole.toStdString()));
    }
    const QString list = QLatin1Char('[') + placed.join(QStringLiteral(", ")) + QLatin1Char(']');
    std::ignore = document.set(key, list.toStdString());
}

/// Launched anew, it gets a folder of its own.
config::JobDocument withoutFolder(const std::string& jobToml) {
    auto document = config::JobDocument::lenient(jobToml, "job.toml");
    std::ignore = document.unset("job.run_dir");
    return document;
}

/// A job without a file has no folder that relative paths begin in.
QString withFilesOf(const QString& folder, const QString& text) {
    auto document = config::JobDocument::lenient(text.toStdString(), "starter.toml");
    const config::JobSpec job = document.spec();
    placeFiles(document, "data.files", job.data.files, QDir(folder));
    placeFiles(document, "launch.command", job.launch.command, QDir(folder));
    return QString::fromStdString(document.text());
}

}  // namespace

JobController::JobController(QWidget& window, Beginnings beginnings, const QString& stateFolder)
    : QObject(&window), window_(window), beginnings_(std::move(beginnings)), store_(stateFolder) {
    connect(&store_, &JobStore::loaded, this, [this](const QString& path, const QString& text) {
        const auto openCopy = std::exchange(openCopy_, nullptr);
        if (path.isEmpty()) return openCopy(text);
        editor_.open(path, text);
        recent_.add(QFileInfo(path).absoluteFilePath());
    });
    connect(&store_, &JobStore::saved, this, &JobController::noteSaved);
    connect(&store_, &JobStore::saveFailed, this, [this](const Error& error) {
        afterSave_ = nullptr;  // leaving now would lose the changes
        Q_EMIT failed(error);
    });
    connect(&store_, &JobStore::failed, this, &JobController::failed);
    connect(&store_, &JobStore::missing, this,
            [this](const QString& path) { recent_.remove(QFileInfo(path).absoluteFilePath()); });
    connect(&editor_, &JobEditor::editRefused, this, &JobController::failed);
    connect(&editor_, &JobEditor::changed, this, &JobController::noteChange);
}

void JobController::noteChange() {
    if (editor_.isModified()) {
        keepsUnsaved_ = true;
        store_.autosaveSoon(editor_.path(), editor_.text());
    } else {
        discardChanges();  // they were undone, or another job is open
    }
}

void JobController::discardChanges() {
    if (std::exchange(keepsUnsaved_, false)) store_.discardAutosave();
    // What was recovered is saved now, or given up.
    if (std::exchange(holdsRecovered_, false)) store_.forgetRecovery();
}

void JobController::chooseAndOpen() {
    const QString path = QFileDialog::getOpenFileName(
        &window_, tr("Open job"), dialogFolder(editor_), tr("Job files (*.toml);;All files (*)"));
    if (!path.isEmpty()) open(path);
}

void JobController::openExample() {
    if (beginnings_.example.isEmpty()) {
        Q_EMIT failed({ErrorCode::NotFound, "The example job is not installed.",
                       "Open a job file of your own with File, Open job."});
        return;
    }
    copy(beginnings_.example, [this](const QString& text) { editor_.open({}, text); });
}

void JobController::openStarter(const QString& name) {
    if (beginnings_.starters.isEmpty()) {
        Q_EMIT failed({ErrorCode::NotFound, "The starters are not installed.",
                       "Open a job file of your own with File, Open job."});
        return;
    }
    copy(
        QDir(beginnings_.starters).filePath(name + QStringLiteral(".toml")),
        [this](const QString& text) { editor_.open({}, withFilesOf(beginnings_.starters, text)); });
}

void JobController::open(const QString& path) {
    leaveFor([this, path] { store_.load(path); });
}

void JobController::openJobOf(const job::RunView& run) {
    leaveFor([this, title = titleOf(run.runDir),
              text = QString::fromStdString(withoutFolder(run.jobToml).text())] {
        editor_.openCopy(title, text);
    });
}

void JobController::openJobFrom(const job::RunView& run, const QString& weights) {
    auto document = withoutFolder(run.jobToml);
    const auto set =
        document.set("model.initial_weights", config::tomlString(weights.toStdString()));
    if (!set) return Q_EMIT failed(set.error());
    const QString title =
        tr("job from %1").arg(QString::fromStdString(run.runDir.filename().string()));
    leaveFor([this, title, text = QString::fromStdString(document.text())] {
        editor_.openCopy(title, text);
        Q_EMIT begun();
    });
}

void JobController::openJobIn(const QString& runDir) {
    copy(QDir(runDir).filePath(QStringLiteral("job.toml")), [this](const QString& text) {
        editor_.open({}, QString::fromStdString(withoutFolder(text.toStdString()).text()));
        Q_EMIT begun();
    });
}

bool JobController::showsJobOf(const std::filesystem::path& runDir) const {
    return editor_.isCopy() && editor_.fileName() == titleOf(runDir);
}

void JobController::leaveFor(const std::function<void()>& open) {
    if (mayLeave(open)) open();
}

void JobController::copy(const QString& file,
                         const std::function<void(const QString& text)>& openCopy) {
    leaveFor([this, file, openCopy] {
        openCopy_ = openCopy;
        store_.loadCopy(file);
    });
}

/// A job without a file is proposed by its name.
QString JobController::proposedPath() const {
    if (!editor_.path().isEmpty()) return editor_.path();
    QString name = QString::fromStdString(editor_.spec().name);
    name.replace(QLatin1Char('/'), QLatin1Char('-'));
    return QDir(dialogFolder(editor_))
        .filePath((name.isEmpty() ? QStringLiteral("job") : name) + QStringLiteral(".toml"));
}

bool JobController::save() {
    if (editor_.path().isEmpty()) return saveAs();
    store_.save(editor_.path(), editor_.text());
    return true;
}

bool JobController::saveAs() {
    const QString path = QFileDialog::getSaveFileName(&window_, tr("Save job"), proposedPath(),
                                                      tr("Job files (*.toml)"));
    if (path.isEmpty()) return false;
    store_.save(path, editor_.text());
    return true;
}

void JobController::noteSaved(const QString& path, const QString& text) {
    editor_.noteSaved(path, text);
    recent_.add(QFileInfo(path).absoluteFilePath());
    const auto go = std::exchange(afterSave_, nullptr);
    Q_EMIT saved(path);
    if (editor_.isModified()) return;  // edited while it was written
    discardChanges();
    if (go) go();
}

bool JobController::mayLeave(std::function<void()> later) {
    afterSave_ = nullptr;
    if (!editor_.isModified()) return true;
    switch (askToSave(&window_, editor_.fileName())) {
        case SaveAnswer::Save:
            if (save()) afterSave_ = std::move(later);
            return false;
        case SaveAnswer::Discard:
            return true;
        case SaveAnswer::Cancel:
            break;
    }
    return false;
}

void JobController::recover(const JobStore::Recovery& recovery) {
    leaveFor([this, recovery] {
        editor_.open(recovery.path, recovery.text, QString());
        holdsRecovered_ = true;
        Q_EMIT recovered();
    });
}

}  // namespace lockstep::ui
