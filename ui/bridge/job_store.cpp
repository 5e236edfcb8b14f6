// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/job_store.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <chrono>

#include "core/base/file.h"

namespace lockstep::ui {
namespace {

using namespace std::chrono_literals;
constexpr auto kAutosaveDelay = 3s;

QString defaultStateFolder() {
    const QString state = qEnvironmentVariable("XDG_STATE_HOME");
    const QString base =
        state.isEmpty() ? QDir::homePath() + QStringLiteral("/.local/state") : state;
    return base + QStringLiteral("/lockstep");
}

Result<QString> readText(const QString& path) {
    auto bytes = readFile(path.toStdString(), JobStore::kFileLimit);
    if (!bytes) return fail(bytes.error());
    return QString::fromStdString(*bytes);
}

/// Replaces the file at once or not at all.
Result<void> writeText(const QString& path, const QString& text) {
    QSaveFile file(path);
    const QByteArray bytes = text.toUtf8();
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return fail(
        ErrorCode::Io,
        QStringLiteral("%1 cannot be saved: %2").arg(path, file.errorString()).toStdString(),
        "Save it under another name, or make room and rights for this one.");
}

/// First line: the job file's path; the rest: its text.
Result<void> writeRecovery(const QString& autosavePath, const JobStore::Recovery& unsaved) {
    QDir().mkpath(QFileInfo(autosavePath).path());
    return writeText(autosavePath, unsaved.path + QLatin1Char('\n') + unsaved.text);
}

std::optional<JobStore::Recovery> readRecovery(const QString& autosavePath) {
    const auto content = readText(autosavePath);
    if (!content) return std::nullopt;
    const qsizetype lineEnd = content->indexOf(QLatin1Char('\n'));
    if (lineEnd < 0) return std::nullopt;
    return JobStore::Recovery{content->left(lineEnd), content->mid(lineEnd + 1)};
}

}  // namespace

JobStore::JobStore(QString stateFolder, QObject* parent)
    : QObject(parent),
      autosavePath_((stateFolder.isEmpty() ? defaultStateFolder() : stateFolder) +
                    QStringLiteral("/unsaved-job.toml")) {
    autosaveTimer_.setSingleShot(true);
    autosaveTimer_.setInterval(kAutosaveDelay);
    connect(&autosaveTimer_, &QTimer::timeout, this, &JobStore::writeAutosave);
}

void JobStore::load(const QString& path) {
    loading_.start([path] { return readText(path); },
                   [this, path](Result<QString> text) {
                       if (text)
                           emit loaded(path, *text);
                       else
                           emit failed(text.error());
                   });
}

void JobStore::save(const QString& path, const QString& text) {
    saving_.start([path, text] { return writeText(path, text); },
                  [this, path, text](Result<void> written) {
                      if (written)
                          emit saved(path, text);
                      else
                          emit failed(written.error());
                  });
}

void JobStore::autosaveSoon(const QString& path, const QString& text) {
    unsaved_ = {path, text};
    if (!autosaveTimer_.isActive()) autosaveTimer_.start();
}

void JobStore::writeAutosave() {
    autosaving_.start(
        [path = autosavePath_, unsaved = unsaved_] { return writeRecovery(path, unsaved); },
        [this](Result<void> written) {
            if (!written) emit failed(written.error());
        });
}

void JobStore::discardAutosave() {
    autosaveTimer_.stop();
    autosaving_.start([path = autosavePath_] { return QFile::remove(path); }, [](bool) {});
}

void JobStore::lookForRecovery() {
    recovering_.start([path = autosavePath_] { return readRecovery(path); },
                      [this](const std::optional<Recovery>& recovery) {
                          if (recovery) emit recoveryFound(*recovery);
                      });
}

}  // namespace lockstep::ui
