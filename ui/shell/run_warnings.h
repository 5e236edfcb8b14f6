// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "core/job/fold/session.h"

namespace lockstep::ui {

class NoticeBar;

/// What the user should know of a run though it goes on, or though it is complete: warnings of its
/// processes, and what of its records is lost. One notice holds them all; once dismissed it comes
/// back with the next.
class RunWarnings final : public QObject {
    Q_OBJECT
public:
    RunWarnings(NoticeBar& notice, QObject* parent);

    void showView(const job::RunView& view);
    /// Another run is followed, or none.
    void reset();

Q_SIGNALS:
    void logRequested();

private:
    NoticeBar& notice_;
    std::size_t shown_ = 0;  ///< So many warnings were there when it was shown last.
    std::string missing_;
};

}  // namespace lockstep::ui
