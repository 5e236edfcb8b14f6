// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/job_store.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <chrono>
#include <mutex>

#include "core/base/file.h"

#include "core/base/try.h"

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
    auto bytes = TRY(readFile(path.toStdString(), JobStore::kFileLimit));
    return QString::fromStdString(bytes);
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

/// The file of unsaved text. Worker threads come in any order: what was asked for last is what
/// stays, so that text which was saved is not offered again.
class JobStore::Autosave {
public:
    explicit Autosave(const QString& folder)
        : path_(folder + QStringLiteral("/unsaved-job.toml")),
          former_(folder + QStringLiteral("/former-unsaved-job.toml")) {}

    [[nodiscard]] quint64 nextTurn() { return ++turn_; }
    Result<void> write(quint64 turn, const Recovery& unsaved) {
        const std::lock_guard lock(mutex_);
        return isNewest(turn) ? writeRecovery(path_, unsaved) : Result<void>();
    }
    void remove(quint64 turn) {
        const std::lock_guard lock(mutex_);
        if (isNewest(turn)) QFile::remove(path_);
    }
    /// What an earlier window left; of two the newer one.
    [[nodiscard]] std::optional<Recovery> putAside() {
        const std::lock_guard lock(mutex_);
        if (done_ == 0 && QFile::exists(path_)) {
            QFile::remove(former_);
            QFile::rename(path_, former_);
        }
        return readRecovery(former_);
    }
    void forgetFormer() {
        const std::lock_guard lock(mutex_);
        QFile::remove(former_);
    }

private:
    [[nodiscard]] bool isNewest(quint64 turn) {
        if (turn < done_) return false;
        done_ = turn;
        return true;
    }

    const QString path_;
    const QString former_;
    quint64 turn_ = 0;  ///< Used on the UI thread alone.
    std::mutex mutex_;
    quint64 done_ = 0;
};

JobStore::JobStore(const QString& stateFolder, QObject* parent)
    : QObject(parent),
      autosave_(
          std::make_shared<Autosave>(stateFolder.isEmpty() ? defaultStateFolder() : stateFolder)) {
    autosaveTimer_.setSingleShot(true);
    autosaveTimer_.setInterval(kAutosaveDelay);
    connect(&autosaveTimer_, &QTimer::timeout, this, &JobStore::writeAutosave);
}

void JobStore::load(const QString& path) {
    read(path, path);
}

void JobStore::loadCopy(const QString& path) {
    read(path, {});
}

void JobStore::read(const QString& path, const QString& knownAs) {
    loading_.start([path] { return readText(path); },
                   [this, path, knownAs](Result<QString> text) {
                       if (text) return Q_EMIT loaded(knownAs, *text);
                       if (text.error().code == ErrorCode::NotFound) Q_EMIT missing(path);
                       Q_EMIT failed(text.error());
                   });
}

void JobStore::save(const QString& path, const QString& text) {
    saving_.start([path, text] { return writeText(path, text); },
                  [this, path, text](Result<void> written) {
                      if (written)
                          Q_EMIT saved(path, text);
                      else
                          Q_EMIT saveFailed(written.error());
                  });
}

void JobStore::autosaveSoon(const QString& path, const QString& text) {
    unsaved_ = {path, text};
    if (!autosaveTimer_.isActive()) autosaveTimer_.start();
}

void JobStore::writeAutosave() {
    autosaving_.start([file = autosave_, turn = autosave_->nextTurn(),
                       unsaved = unsaved_] { return file->write(turn, unsaved); },
                      [this](Result<void> written) {
                          if (!written) Q_EMIT failed(written.error());
                      });
}

void JobStore::discardAutosave() {
    autosaveTimer_.stop();
    autosaving_.start(
        [file = autosave_, turn = autosave_->nextTurn()] {
            file->remove(turn);
            return true;
        },
        [](bool) {});
}

void JobStore::lookForRecovery() {
    recovering_.start([file = autosave_] { return file->putAside(); },
                      [this](const std::optional<Recovery>& recovery) {
                          if (recovery) Q_EMIT recoveryFound(*recovery);
                      });
}

void JobStore::forgetRecovery() {
    forgetting_.start(
        [file = autosave_] {
            file->forgetFormer();
            return true;
        },
        [](bool) {});
}

}  // namespace lockstep::ui
