// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "core/base/result.h"
#include "ui/bridge/background_task.h"

namespace lockstep::ui {

/// Job files on the disk, read and written on a worker thread. Edited text that was not saved yet
/// is kept in the user's state folder a few seconds after each change, so that a crash loses none.
class JobStore final : public QObject {
    Q_OBJECT
public:
    /// What an earlier window left unsaved.
    struct Recovery {
        QString path;  ///< The job file it belongs to; may be empty.
        QString text;
    };
    static constexpr quint64 kFileLimit = 1 << 20;

    /// `stateFolder`: for the autosave; by default $XDG_STATE_HOME/lockstep.
    explicit JobStore(const QString& stateFolder = {}, QObject* parent = nullptr);

    void load(const QString& path);
    /// As loaded() without a path: the file stays as it is.
    void loadCopy(const QString& path);
    void save(const QString& path, const QString& text);
    /// Remembers unsaved text; several calls within three seconds become one write.
    void autosaveSoon(const QString& path, const QString& text);
    /// The text is saved or discarded: there is nothing to recover.
    void discardAutosave();
    /// What an earlier window left is put aside first, where this one's text does not replace it.
    void lookForRecovery();
    /// It was answered for: it is not offered again.
    void forgetRecovery();

Q_SIGNALS:
    void loaded(const QString& path, const QString& text);
    void saved(const QString& path, const QString& text);
    /// A file could not be read, or unsaved text not be kept.
    void failed(const lockstep::Error& error);
    void saveFailed(const lockstep::Error& error);
    /// The file to be loaded is not there; `failed` follows.
    void missing(const QString& path);
    void recoveryFound(const lockstep::ui::JobStore::Recovery& recovery);

private:
    class Autosave;

    void read(const QString& path, const QString& knownAs);
    void writeAutosave();

    std::shared_ptr<Autosave> autosave_;  ///< Shared with the threads that write it.
    BackgroundTask loading_;
    BackgroundTask saving_;
    BackgroundTask autosaving_;
    BackgroundTask recovering_;
    BackgroundTask forgetting_;
    QTimer autosaveTimer_;
    Recovery unsaved_;
};

}  // namespace lockstep::ui
