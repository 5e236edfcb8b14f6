// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QThreadPool>
#include <memory>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// A session ends its threads when it is destroyed, which may take a moment: not on this thread.
inline void destroyElsewhere(std::unique_ptr<job::Session> session) {
    if (!session) return;
    std::shared_ptr<job::Session> shared = std::move(session);
    QThreadPool::globalInstance()->start(
        [shared = std::move(shared)]() mutable { shared.reset(); });
}

}  // namespace lockstep::ui
