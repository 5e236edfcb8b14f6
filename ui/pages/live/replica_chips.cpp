// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/replica_chips.h"

#include <QEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

#include "ui/charts/surface/chart_group.h"
#include "ui/style/theme.h"
#include "ui/widgets/flow_layout.h"

namespace lockstep::ui {
namespace {

constexpr int kMostChips = 8;
constexpr int kMostLongNames = 4;
constexpr int kDotSize = 12;

}  // namespace

ReplicaChips::ReplicaChips(ChartGroup& group, QWidget* parent) : QWidget(parent), group_(group) {
    setObjectName(QStringLiteral("replicaChips"));
    layout_ = new FlowLayout(this, kGrid / 2);
    connect(&group_, &ChartGroup::seriesReset, this, &ReplicaChips::rebuild);
    connect(&group_, &ChartGroup::seriesAdded, this, &ReplicaChips::rebuild);
    connect(&group_, &ChartGroup::outstandingChanged, this, &ReplicaChips::rebuild);
    connect(&group_, &ChartGroup::visibilityChanged, this, &ReplicaChips::refreshChecks);
    rebuild();
}

void ReplicaChips::rebuild() {
    while (QLayoutItem* item = layout_->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    chips_.clear();
    QVector<int> scores;
    QVector<int> replicas;
    QVector<int> quiet;
    for (int series = 0; series < int(group_.series().size()); ++series) {
        const SeriesInfo& info = group_.series()[series];
        // What stands for all of them comes first.
        if (info.mean)
            addChip(series);
        else
            (info.exact ? scores : info.quiet ? quiet : replicas).push_back(series);
    }
    std::ranges::stable_sort(scores, {},
                             [this](int series) { return rankOf(group_.series()[series]); });
    for (const int series : scores)
        addChip(series);
    const int shown = replicas.size() > kMostChips ? kMostChips - 1 : int(replicas.size());
    if (isCrowded() && shown > 0) {  // their chips are numbers
        auto* word = new QLabel(tr("Replicas"), this);
        word->setProperty("secondary", true);
        layout_->addWidget(word);
    }
    for (const int series : replicas.first(shown))
        addChip(series);
    if (const QVector<int> others = replicas.mid(shown) + quiet; !others.isEmpty())
        addMenu(others, replicas.size() + quiet.size());
    // Made with the run, they stand where Tab comes to this.
    QWidget* before = previousInFocusChain();
    while (before != this && !(before->focusPolicy() & Qt::TabFocus))
        before = before->previousInFocusChain();
    for (int i = 0; i < layout_->count(); ++i) {
        if (!(layout_->itemAt(i)->widget()->focusPolicy() & Qt::TabFocus)) continue;
        setTabOrder(before, layout_->itemAt(i)->widget());
        before = layout_->itemAt(i)->widget();
    }
}

void ReplicaChips::addChip(int series) {
    auto* chip = new QToolButton(this);
    const QString name = group_.series()[series].name;
    chip->setObjectName(QStringLiteral("chip%1").arg(series));
    chip->setText(isCrowded() ? name.section(QLatin1Char(' '), -1) : name);
    chip->setAccessibleName(tr("Show %1").arg(name));
    chip->setToolTip(tr("Click shows or hides %1, Ctrl+click shows it alone").arg(name));
    chip->setCheckable(true);
    chip->setChecked(group_.isVisible(series));
    chip->setFocusPolicy(Qt::StrongFocus);
    chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    chip->setIconSize({kDotSize, kDotSize});
    chip->setIcon(dotOf(series));
    connect(chip, &QToolButton::clicked, this, [this, series] {
        choose(series, QGuiApplication::keyboardModifiers().testFlag(Qt::ControlModifier));
    });
    layout_->addWidget(chip);
    chip->setProperty("series", series);
    chips_.push_back(chip);
}

/// Where many replicas have chips, these show the last word only, which is the number.
bool ReplicaChips::isCrowded() const {
    const auto chips =
        std::ranges::count_if(group_.series(), [](const SeriesInfo& info) { return !info.quiet; });
    return chips > kMostLongNames;
}

void ReplicaChips::addMenu(const QVector<int>& series, qsizetype replicas) {
    auto* more = new QToolButton(this);
    more->setObjectName(QStringLiteral("moreChips"));
    const bool areMany =
        std::ranges::any_of(series, [this](int each) { return group_.series()[each].quiet; });
    // Beside nobody that stands out they are no others.
    more->setText(!areMany                    ? tr("More")
                  : series.size() == replicas ? tr("%1 replicas").arg(series.size())
                                              : tr("%1 others").arg(series.size()));
    if (areMany) more->setIcon(dotOf(series.last()));
    more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    more->setIconSize({kDotSize, kDotSize});
    more->setAccessibleName(tr("More replicas"));
    more->setFocusPolicy(Qt::StrongFocus);
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, series] {
        menu->clear();
        for (const int each : series) {
            QAction* action = menu->addAction(dotOf(each), group_.series()[each].name);
            action->setCheckable(true);
            action->setChecked(group_.isVisible(each));
            connect(action, &QAction::triggered, this, [this, each] { choose(each, false); });
        }
    });
    more->setMenu(menu);
    layout_->addWidget(more);
}

void ReplicaChips::choose(int series, bool alone) {
    if (!alone) {
        group_.setVisible(series, !group_.isVisible(series));
        refreshChecks();
        return;
    }
    const int count = int(group_.series().size());
    bool wasAlone = group_.isVisible(series);
    for (int other = 0; other < count; ++other)
        wasAlone &= other == series || !group_.isVisible(other);
    for (int other = 0; other < count; ++other)
        group_.setVisible(other, wasAlone || other == series);
    refreshChecks();
}

void ReplicaChips::refreshChecks() {
    for (QToolButton* chip : chips_) {
        const int series = chip->property("series").toInt();
        chip->setChecked(group_.isVisible(series));
        chip->setIcon(dotOf(series));
    }
}

QIcon ReplicaChips::dotOf(int series) const {
    const Theme& theme = Theme::of(this);
    const SeriesInfo& info = group_.series()[series];
    const QColor colour = colourOf(info, series, theme);
    const qreal ratio = devicePixelRatioF();
    QPixmap pixmap((QSizeF(kDotSize, kDotSize) * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.5));
    painter.setBrush(group_.isVisible(series) ? QBrush(colour) : QBrush(Qt::NoBrush));
    painter.drawEllipse(QRectF(2, 2, kDotSize - 4, kDotSize - 4));
    return QIcon(pixmap);
}

void ReplicaChips::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) refreshChecks();
    QWidget::changeEvent(event);
}

}  // namespace lockstep::ui
