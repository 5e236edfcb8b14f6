// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/x_axis_control.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSettings>
#include <QStandardItemModel>
#include <QToolButton>
#include <algorithm>

#include "ui/charts/surface/chart_group.h"
#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

const auto kAxisKey = QStringLiteral("charts/xAxis");
const auto kLogKey = QStringLiteral("charts/logX");

}  // namespace

XAxisControl::XAxisControl(ChartGroup& group, const char* name, const QString& relative,
                           QWidget* parent)
    : QWidget(parent), group_(group), axis_(new QComboBox(this)), log_(new QToolButton(this)) {
    axis_->setObjectName(QLatin1String(name));
    axis_->setAccessibleName(tr("X axis"));
    axis_->setToolTip(tr("What the x axis counts"));
    axis_->addItems({tr("Steps"), tr("Epochs"), tr("Relative time"), tr("Time of day")});
    axis_->setItemData(int(XAxis::Relative), relative, Qt::ToolTipRole);
    axis_->setItemData(int(XAxis::Wall), tr("With the pauses between the starts of a run"),
                       Qt::ToolTipRole);
    log_->setObjectName(axis_->objectName() + QStringLiteral("Log"));
    log_->setText(tr("Log x"));
    log_->setProperty("toggle", true);
    log_->setCheckable(true);
    log_->setAutoRaise(true);
    log_->setFocusPolicy(Qt::StrongFocus);
    log_->setAccessibleName(tr("X axis: logarithmic scale"));
    const QSettings settings;
    axis_->setCurrentIndex(
        std::clamp(settings.value(kAxisKey).toInt(), int(XAxis::Step), int(XAxis::Wall)));
    log_->setChecked(settings.value(kLogKey).toBool());
    connect(axis_, &QComboBox::currentIndexChanged, this, [this](int index) {
        QSettings().setValue(kAxisKey, index);
        apply();
    });
    connect(log_, &QToolButton::toggled, this, [this](bool on) {
        QSettings().setValue(kLogKey, on);
        apply();
    });
    connect(&group, &ChartGroup::epochsChanged, this, &XAxisControl::matchEpochs);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kGrid / 2);
    row->addWidget(axis_);
    row->addWidget(log_);
    apply();
    matchEpochs();
}

void XAxisControl::apply() {
    const auto axis = XAxis(axis_->currentIndex());
    log_->setEnabled(axis != XAxis::Wall);
    log_->setToolTip(axis == XAxis::Wall ? tr("The time of day has no logarithmic scale")
                                         : tr("Logarithmic scale of the x axis"));
    group_.setXAxis(axis, log_->isChecked());
}

/// Where there are none, steps stand for them.
void XAxisControl::matchEpochs() {
    const bool known = group_.knowsEpochs();
    auto* epochs = static_cast<QStandardItemModel*>(axis_->model())->item(int(XAxis::Epoch));
    epochs->setEnabled(known || axis_->currentIndex() == int(XAxis::Epoch));
    epochs->setToolTip(known ? QString()
                             : tr("What is shown here says nothing of epochs: steps are shown"));
}

}  // namespace lockstep::ui
