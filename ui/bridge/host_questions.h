// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "core/job/asker.h"
#include "ui/bridge/job_services.h"

namespace lockstep::ui {

/// Brings what hosts ask (trust this key? which passphrase?) from the thread that connects to the
/// window, and the answer back. Everything here belongs to the UI thread; only `ask` is called by
/// others. One question is open at a time.
class HostQuestions final : public QObject {
    Q_OBJECT
public:
    explicit HostQuestions(QObject* parent = nullptr);
    ~HostQuestions() override;

    /// The same services with an asker in their options, started when a call first needs it. Where
    /// it cannot be started, hosts that ask something are refused with a sentence.
    [[nodiscard]] JobServices answering(JobServices services) const;
    /// A function for AskServer: any thread, waits for the answer.
    [[nodiscard]] job::Ask ask() const;
    /// Declines what is open and all that is asked from now on: before sessions are let go.
    void close();

    /// To the question that `asked` brought; nullopt declines. One that was withdrawn is ignored.
    void answer(quint64 id, const std::optional<job::HostAnswer>& answer);

Q_SIGNALS:
    void asked(quint64 id, const lockstep::job::HostQuestion& question);
    /// It needs no answer any more.
    void withdrawn(quint64 id);

private:
    struct Desk;
    std::shared_ptr<Desk> desk_;
};

}  // namespace lockstep::ui
