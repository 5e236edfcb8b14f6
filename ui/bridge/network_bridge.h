// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <vector>

#include "ui/bridge/background_task.h"
#include "ui/bridge/job_services.h"

namespace lockstep::ui {

/// The only object that asks the networks that runs have trained, and hands them over. Everything
/// here belongs to the UI thread and no call waits: the work is done on other threads, and what
/// they have found is fetched ten times a second.
class NetworkBridge final : public QObject {
    Q_OBJECT
public:
    explicit NetworkBridge(JobServices services, QObject* parent = nullptr);
    ~NetworkBridge() override;

    /// Whether this program can ask networks at all.
    [[nodiscard]] bool canAsk() const { return bool(services_.ask); }

    void findFacts(const job::NetworkPlace& place);
    /// Takes the place of a question that is being answered.
    void ask(const job::NetworkPlace& place, const job::Question& question);
    /// No more answers come; `ended` says so.
    void stopAsking();
    [[nodiscard]] bool isAsking() const { return asking_.isBusy(); }

    void exportTo(const QString& file, const job::NetworkPlace& place, job::NetworkFormat format);
    [[nodiscard]] bool isExporting() const { return exporting_.isBusy(); }

    /// Another run is followed, or none: what is on its way is of no interest.
    void forget();

Q_SIGNALS:
    void factsFound(const lockstep::job::NetworkFacts& facts);
    void factsFailed(const lockstep::Error& error);
    void asked();
    void answersArrived(const std::vector<lockstep::job::Answer>& answers);
    void remarked(const QStringList& sentences);
    void progressed(quint64 done, quint64 all);
    /// Of a text that is being written, as far as it has come.
    void written(const QString& text);
    void ended(const lockstep::job::Answered& answered);
    void failed(const lockstep::Error& error);
    void exported(const QString& file, const lockstep::job::ExportedNetwork& network);
    void exportFailed(const lockstep::Error& error);

private:
    struct Mailbox;

    void fetch();
    void end(const Result<job::Answered>& answered);

    JobServices services_;
    BackgroundTask finding_;
    BackgroundTask asking_;
    BackgroundTask exporting_;
    std::shared_ptr<Mailbox> mailbox_;  ///< Of the newest question; null: none was asked.
    QTimer timer_;
};

}  // namespace lockstep::ui
