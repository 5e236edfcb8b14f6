// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <optional>

#include "core/job/asker.h"

namespace lockstep::ui {

/// Brings what hosts ask (trust this key? which passphrase?) from the thread that connects to the
/// window, and the answer back. Everything here belongs to the UI thread; only `ask` is called by
/// others. One question is open at a time.
class HostQuestions final : public QObject {
    Q_OBJECT
public:
    using StartAsker = std::function<Result<std::shared_ptr<job::AskServer>>(job::Ask)>;

    explicit HostQuestions(StartAsker start, QObject* parent = nullptr);
    /// Declines what is open.
    ~HostQuestions() override;

    /// For LaunchOptions. Started when it is first asked for; null where it cannot be, and then
    /// hosts that ask something are refused with a sentence.
    [[nodiscard]] std::shared_ptr<job::AskServer> asker();
    /// A function for AskServer: any thread, waits for the answer.
    [[nodiscard]] job::Ask ask() const;

    /// To the question that `asked` brought; nullopt declines. One that was withdrawn is ignored.
    void answer(quint64 id, const std::optional<job::HostAnswer>& answer);

signals:
    void asked(quint64 id, const lockstep::job::HostQuestion& question);
    /// It needs no answer any more.
    void withdrawn(quint64 id);

private:
    struct Desk;

    StartAsker start_;
    std::shared_ptr<Desk> desk_;
    std::shared_ptr<job::AskServer> asker_;
};

}  // namespace lockstep::ui
