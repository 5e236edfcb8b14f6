// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/chart_card.h"

#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/charts/surface/live_chart.h"
#include "ui/style/icons.h"
#include "ui/widgets/figure_label.h"

namespace lockstep::ui {

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
    addHeadWidget(maximize_);
    setMaximized(false);
    body()->addWidget(chart);
    layout()->setContentsMargins(2 * kGrid, kGrid, kGrid, kGrid);
    layout()->setSpacing(kGrid / 2);
    connect(maximize_, &QToolButton::clicked, this, [this] {
        setMaximized(!maximized_);
        Q_EMIT maximizeToggled(maximized_);
    });
    connect(chart, &LiveChart::newestValueChanged, this, &ChartCard::refreshValue);
    refreshValue();
}

void ChartCard::setMaximized(bool maximized) {
    maximized_ = maximized;
    const QString verb = maximized ? tr("Show all charts") : tr("Show only this chart");
    maximize_->setIcon(makeIcon(maximized ? Icon::Restore : Icon::Maximize));
    maximize_->setToolTip(maximized ? tr("%1 (Esc)").arg(verb) : verb);
    maximize_->setShortcut(maximized ? QKeySequence(Qt::Key_Escape) : QKeySequence());
    maximize_->setAccessibleName(title() + QStringLiteral(": ") + verb);
}

void ChartCard::refreshValue() {
    const bool known = chart_->pointCount() > 0;
    value_->setFigure(known ? chart_->formatted(double(chart_->newestValue())) : QString());
    if (unit_->text() != chart_->unit()) unit_->setText(chart_->unit());
    unit_->setVisible(known && !chart_->unit().isEmpty());
}

}  // namespace lockstep::ui
