// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/chart_verbs.h"

#include <QStackedWidget>
#include <QStatusBar>

#include "ui/pages/live/chart_export.h"
#include "ui/shell/window_actions.h"
#include "ui/style/core_words.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {
namespace {

constexpr int kReadable = 6000;  // milliseconds

}  // namespace

ChartVerbs::ChartVerbs(WindowActions& actions, QStackedWidget& pages, NoticeBar& notice,
                       QStatusBar& status, QObject* parent)
    : QObject(parent), pages_(pages), notice_(notice), status_(status) {
    connect(actions.copyChart, &QAction::triggered, this,
            [this] { act(&ChartExport::copyPicture); });
    connect(actions.saveChart, &QAction::triggered, this, [this] { act(&ChartExport::save); });
    hear(pages);
}

void ChartVerbs::hear(const QWidget& pages) {
    for (const ChartExport* each : pages.findChildren<ChartExport*>()) {
        connect(each, &ChartExport::told, &status_,
                [this](const QString& sentence) { status_.showMessage(sentence, kReadable); });
        connect(each, &ChartExport::failed, this, [this](const Error& error) {
            say(Tone::Warn, fromCore(error.message), fromCore(error.remedy));
        });
    }
}

template <typename Verb>
void ChartVerbs::act(Verb verb) {
    for (ChartExport* each : pages_.currentWidget()->findChildren<ChartExport*>()) {
        const LiveChart* chart = each->chart();
        if (chart != nullptr) return (each->*verb)(*chart);
    }
    say(Tone::Neutral, tr("There is no chart on this page."),
        tr("Charts are on Live, and on Runs where runs are compared."));
}

/// Notices are put aside while the past is shown.
void ChartVerbs::say(Tone tone, const QString& sentence, const QString& remedy) {
    notice_.showNotice({tone, sentence, remedy, {}});
    if (!notice_.isVisible()) status_.showMessage(sentence + QLatin1Char(' ') + remedy, kReadable);
}

}  // namespace lockstep::ui
