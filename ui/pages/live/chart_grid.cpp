// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/chart_grid.h"

#include <QGridLayout>
#include <algorithm>
#include <utility>

#include "ui/charts/surface/chart_card.h"
#include "ui/pages/page_parts.h"
#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kFewCards = 4;  // fill the page in two rows
constexpr int kRoomForThree = 1440;

}  // namespace

ChartGrid::ChartGrid(QWidget* parent) : QWidget(parent), layout_(new QGridLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(kGrid);
}

void ChartGrid::add(ChartCard* card) {
    card->setParent(this);
    if (!cards_.isEmpty()) followInTabOrder(cards_.last(), card);
    cards_.push_back(card);
    connect(card, &ChartCard::maximizeToggled, this, [this, card](bool on) { maximize(card, on); });
    connect(card, &ChartCard::menuAsked, this,
            [this, card](QMenu* menu) { Q_EMIT menuAsked(card, menu); });
    place();
}

void ChartGrid::remove(ChartCard* card) {
    cards_.removeOne(card);
    hidden_.remove(card);
    const bool wasMaximized =
        std::exchange(maximized_, maximized_ == card ? nullptr : maximized_) == card;
    layout_->removeWidget(card);
    card->hide();
    card->deleteLater();  // it may be what has just been clicked
    place();
    if (wasMaximized) Q_EMIT maximizedChanged();
}

void ChartGrid::arrange(const QVector<ChartCard*>& cards, const QSet<const ChartCard*>& shown) {
    QSet<const ChartCard*> hidden;
    for (ChartCard* card : cards)
        if (!shown.contains(card)) hidden.insert(card);
    if (cards == cards_ && hidden == hidden_) return;
    hidden_ = hidden;
    if (cards != cards_) {
        cards_ = cards;
        for (int i = 1; i < int(cards_.size()); ++i)
            followInTabOrder(cards_[i - 1], cards_[i]);
    }
    const auto alone = std::ranges::find(cards_, maximized_);
    if (alone != cards_.end() && hidden_.contains(maximized_)) return maximize(*alone, false);
    place();
}

void ChartGrid::setShown(ChartCard* card, bool shown) {
    if (shown == isShown(card)) return;
    if (shown)
        hidden_.remove(card);
    else
        hidden_.insert(card);
    if (!shown && maximized_ == card) maximize(card, false);
    place();
}

bool ChartGrid::isShown(const ChartCard* card) const {
    return !hidden_.contains(card);
}

void ChartGrid::maximize(ChartCard* card, bool on) {
    maximized_ = on ? card : nullptr;
    card->setMaximized(on);
    place();
    Q_EMIT maximizedChanged();
}

int ChartGrid::columnsFor(int count) const {
    const int most = count > kFewCards && width() >= kRoomForThree ? 3 : 2;
    return std::clamp(count, 1, most);
}

void ChartGrid::place() {
    QVector<ChartCard*> shown;
    for (ChartCard* card : cards_) {
        const bool isHere = isShown(card) && (maximized_ == nullptr || maximized_ == card);
        card->setVisible(isHere);
        if (isHere) shown.push_back(card);
    }
    while (QLayoutItem* item = layout_->takeAt(0))
        delete item;
    for (int row = 0; row < layout_->rowCount(); ++row)
        layout_->setRowStretch(row, 0);
    for (int column = 0; column < layout_->columnCount(); ++column)
        layout_->setColumnStretch(column, 0);
    columns_ = columnsFor(int(shown.size()));
    for (int i = 0; i < int(shown.size()); ++i) {
        layout_->addWidget(shown[i], i / columns_, i % columns_);
        layout_->setRowStretch(i / columns_, 1);
        layout_->setColumnStretch(i % columns_, 1);
    }
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const auto shown = std::count_if(cards_.begin(), cards_.end(), [this](const ChartCard* card) {
        return isShown(card) && (maximized_ == nullptr || maximized_ == card);
    });
    if (columnsFor(int(shown)) != columns_) place();
}

}  // namespace lockstep::ui
