// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ui/bridge/background_task.h"
#include "ui/dialogs/consent_dialog.h"

namespace lockstep::ui {

/// Before what a file from elsewhere makes this machine do is done: lets through what this user has
/// agreed to before, in any window or in this one, else has it asked. One request at a time: a
/// newer one takes the place of one that waits. Belongs to the UI thread; no call waits.
class ConsentGate final : public QObject {
    Q_OBJECT
public:
    using Effects = std::vector<std::string>;

    struct Request {
        ConsentDialog::Action action{};
        std::filesystem::path file;  ///< The job file, or the run's folder.
        /// On a worker thread: what has to be agreed to; empty: nothing, or it was before.
        std::function<Effects()> findUnknown;
        std::function<void(const Effects&)> remember;  ///< On a worker thread.
        std::function<void(const Effects& agreed)> pass;
    };

    explicit ConsentGate(QObject* parent = nullptr) : QObject(parent) {}

    void ask(Request request);
    /// The answer to `needed` was yes; ignored when another request has come since.
    void agree(quint64 id);

Q_SIGNALS:
    /// To be shown, one sentence each.
    void needed(quint64 id, lockstep::ui::ConsentDialog::Action action, const QString& fileName,
                const QStringList& effects);

private:
    void decide(const Effects& unknown);

    BackgroundTask looking_;
    BackgroundTask remembering_;
    Request request_;
    Effects shown_;
    quint64 id_ = 0;
    std::vector<std::pair<std::filesystem::path, Effects>> agreed_;  ///< In this window.
};

}  // namespace lockstep::ui
