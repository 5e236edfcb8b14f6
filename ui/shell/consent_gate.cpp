// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/consent_gate.h"

#include <algorithm>

#include "ui/style/core_words.h"

namespace lockstep::ui {

void ConsentGate::ask(Request request) {
    request_ = std::move(request);
    ++id_;
    looking_.start([find = request_.findUnknown] { return find(); },
                   [this](const Effects& unknown) { decide(unknown); });
}

void ConsentGate::decide(const Effects& unknown) {
    // Known from this window, even where it could not be written down.
    if (unknown.empty() || std::ranges::count(agreed_, std::pair(request_.file, unknown)) > 0) {
        request_.pass(unknown);
        return;
    }
    shown_ = unknown;
    QStringList lines;
    for (const std::string& effect : unknown)
        lines << fromCore(effect);
    Q_EMIT needed(id_, request_.action, QString::fromStdString(request_.file.filename().string()),
                  lines);
}

void ConsentGate::agree(quint64 id) {
    if (id != id_ || looking_.isBusy()) return;
    ++id_;
    agreed_.emplace_back(request_.file, shown_);
    // That it could not be remembered is no harm: it is asked again.
    remembering_.start(
        [remember = request_.remember, effects = shown_] {
            remember(effects);
            return true;
        },
        [](bool) {});
    request_.pass(shown_);
}

}  // namespace lockstep::ui
