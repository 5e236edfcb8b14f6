// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/style/theme.h"

class QStackedWidget;
class QStatusBar;

namespace lockstep::ui {

class ChartExport;
class NoticeBar;
class WindowActions;

/// Copies and saves a chart of the page that is shown by the window's actions, and says what came
/// of it, whoever asked.
class ChartVerbs final : public QObject {
    Q_OBJECT
public:
    /// Of all pages, which are there already.
    ChartVerbs(WindowActions& actions, QStackedWidget& pages, NoticeBar& notice, QStatusBar& status,
               QObject* parent);

    /// Of pages that come later.
    void hear(const QWidget& pages);

private:
    void say(Tone tone, const QString& sentence, const QString& remedy);
    template <typename Verb>
    void act(Verb verb);

    QStackedWidget& pages_;
    NoticeBar& notice_;
    QStatusBar& status_;
};

}  // namespace lockstep::ui
