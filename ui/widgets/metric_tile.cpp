// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/metric_tile.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/style/accessible_role.h"

namespace lockstep::ui {

MetricTile::MetricTile(const QString& label, QWidget* parent)
    : QWidget(parent),
      label_(new QLabel(label, this)),
      value_(new QLabel(QStringLiteral("–"), this)),
      unit_(new QLabel(this)) {
    label_->setFont(smallFont());
    label_->setProperty("secondary", true);
    QFont figure = titleFont();
    figure.setPointSizeF(figure.pointSizeF() * 0.95);
    value_->setFont(figure);
    unit_->setProperty("secondary", true);

    auto* line = new QHBoxLayout;
    line->setSpacing(4);
    line->addWidget(value_, 0, Qt::AlignBaseline);
    line->addWidget(unit_, 0, Qt::AlignBaseline);
    line->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(label_);
    layout->addLayout(line);
    layout->addStretch(1);
    setAccessibleRole(*this, QAccessible::Grouping);
    setAccessibleName(label);
}

void MetricTile::setValue(const QString& value, const QString& unit) {
    value_->setText(value);
    unit_->setText(unit);
    setAccessibleDescription(value + QLatin1Char(' ') + unit);
}

void MetricTile::setLabel(const QString& label) {
    label_->setText(label);
    setAccessibleName(label);
}

void MetricTile::setTone(Tone tone) {
    tone_ = tone;
    refreshColours();
}

QString MetricTile::value() const {
    return value_->text();
}

void MetricTile::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ApplicationPaletteChange) refreshColours();
    QWidget::changeEvent(event);
}

void MetricTile::refreshColours() {
    const Theme& theme = Theme::current();
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, tone_ == Tone::Neutral ? theme.text : theme.tone(tone_));
    value_->setPalette(colours);
}

}  // namespace lockstep::ui
