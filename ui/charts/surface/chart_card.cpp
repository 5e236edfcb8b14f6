// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/chart_card.h"

#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/charts/surface/live_chart.h"
#include "ui/style/icons.h"
#include "ui/widgets/figure_label.h"

namespace lockstep::ui {

namespace {
constexpr qint64 kReadable = 1000;  // milliseconds between two values of the head
}  // namespace

ChartCard::ChartCard(LiveChart* chart, QWidget* parent)
    : Card(chart->title(), parent),
      chart_(chart),
      value_(new FigureLabel(this)),
      unit_(new QLabel(chart->unit(), this)),
      maximize_(new QToolButton(this)) {
    value_->setFont(strongFont());
    value_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);  // beside its unit
    unit_->setProperty("secondary", true);
    unit_->setFont(smallFont());
    maximize_->setObjectName(QStringLiteral("maximize"));
    addHeadWidget(value_);
    addHeadWidget(unit_);
    QToolButton* log = chart->offersLogY() ? makeLogButton() : nullptr;
    if (log != nullptr) addHeadWidget(log);
    addHeadWidget(maximize_);
    setMaximized(false);
    body()->addWidget(chart);
    if (log != nullptr) setTabOrder(log, maximize_);  // as they stand
    layout()->setContentsMargins(2 * kGrid, kGrid, kGrid, kGrid);
    layout()->setSpacing(kGrid / 2);
    connect(maximize_, &QToolButton::clicked, this, [this] {
        setMaximized(!maximized_);
        Q_EMIT maximizeToggled(maximized_);
    });
    nextValue_.setSingleShot(true);
    connect(&nextValue_, &QTimer::timeout, this, &ChartCard::refreshValue);
    connect(chart, &LiveChart::newestValueChanged, this, &ChartCard::noteValue);
    refreshValue();
}

QToolButton* ChartCard::makeLogButton() {
    auto* log = new QToolButton(this);
    log->setObjectName(QStringLiteral("logScale"));
    log->setText(tr("Log y"));
    log->setProperty("toggle", true);
    log->setFont(smallFont());
    log->setCheckable(true);
    log->setAutoRaise(true);
    log->setFocusPolicy(Qt::StrongFocus);
    log->setToolTip(tr("Logarithmic scale (L in the chart)"));
    log->setAccessibleName(tr("%1: logarithmic scale").arg(title()));
    connect(log, &QToolButton::toggled, chart_, &LiveChart::setLogY);
    connect(chart_, &LiveChart::logYChanged, log, &QToolButton::setChecked);
    return log;
}

void ChartCard::noteValue() {
    const bool known = chart_->pointCount() > 0;
    const bool isSaid = !value_->text().isEmpty();
    const qint64 wait =
        known && isSaid && sinceShown_.isValid() ? kReadable - sinceShown_.elapsed() : 0;
    if (wait <= 0)
        refreshValue();
    else if (!nextValue_.isActive())
        nextValue_.start(int(wait));
}

void ChartCard::setMaximized(bool maximized) {
    maximized_ = maximized;
    const QString verb = maximized ? tr("Show all charts") : tr("Show only this chart");
    maximize_->setIcon(makeIcon(maximized ? Icon::Restore : Icon::Maximize));
    maximize_->setToolTip(maximized ? tr("%1 (Esc)").arg(verb) : verb);
    maximize_->setShortcut(maximized ? QKeySequence(Qt::Key_Escape) : QKeySequence());
    maximize_->setAccessibleName(title() + QStringLiteral(": ") + verb);
}

void ChartCard::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("chartMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    Q_EMIT menuAsked(menu);
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    if (menu->isEmpty())
        delete menu;
    else
        menu->popup(byKey ? chart_->mapToGlobal(chart_->rect().center()) : event->globalPos());
}

void ChartCard::setShowsValue(bool shows) {
    showsValue_ = shows;
    refreshValue();
}

void ChartCard::refreshValue() {
    const bool known = showsValue_ && chart_->pointCount() > 0;
    sinceShown_.start();
    value_->setFigure(known ? chart_->formatted(chart_->headline()) : QString());
    value_->setToolTip(chart_->headlineSteps() > 1
                           ? tr("Mean of the newest %1 steps").arg(chart_->headlineSteps())
                           : QString());
    if (unit_->text() != chart_->unit()) unit_->setText(chart_->unit());
    unit_->setVisible(known && !chart_->unit().isEmpty());
}

}  // namespace lockstep::ui
