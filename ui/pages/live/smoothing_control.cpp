// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/smoothing_control.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QSlider>

#include "ui/charts/surface/chart_group.h"
#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

const auto kSettingKey = QStringLiteral("live/smoothing");
constexpr int kUnasked = 90;  // percent: single steps of a small batch are mostly noise
constexpr int kMost = 99;
constexpr int kWidth = 112;

}  // namespace

SmoothingControl::SmoothingControl(ChartGroup& group, QWidget* parent) : QWidget(parent) {
    auto* slider = new QSlider(Qt::Horizontal, this);
    slider->setObjectName(QStringLiteral("smoothingSlider"));
    slider->setAccessibleName(tr("Smoothing"));
    slider->setToolTip(
        tr("Weight of the past in the drawn mean; the raw line stays visible behind"));
    slider->setRange(0, kMost);
    slider->setFixedWidth(kWidth);
    connect(slider, &QSlider::valueChanged, &group, [&group](int value) {
        group.setSmoothing(value / 100.0);
        QSettings().setValue(kSettingKey, value);
    });
    slider->setValue(QSettings().value(kSettingKey, kUnasked).toInt());
    auto* label = new QLabel(tr("Smoothing"), this);
    label->setBuddy(slider);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kGrid);
    row->addWidget(label);
    row->addWidget(slider);
}

}  // namespace lockstep::ui
