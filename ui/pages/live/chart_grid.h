// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSet>
#include <QVector>
#include <QWidget>

class QGridLayout;
class QMenu;

namespace lockstep::ui {

class ChartCard;

/// Any number of chart cards in rows of two, of three where there is room. One of them can have the
/// whole place for itself. What does not fit is for a scroll area around it.
class ChartGrid final : public QWidget {
    Q_OBJECT
public:
    explicit ChartGrid(QWidget* parent = nullptr);

    /// Takes ownership; behind the others.
    void add(ChartCard* card);
    /// Destroys it.
    void remove(ChartCard* card);
    /// All cards, as they are placed and as Tab comes to them, and those of them that have a place.
    void arrange(const QVector<ChartCard*>& cards, const QSet<const ChartCard*>& shown);
    /// Cards that have nothing to say take no place.
    void setShown(ChartCard* card, bool shown);
    [[nodiscard]] bool isShown(const ChartCard* card) const;
    [[nodiscard]] const QVector<ChartCard*>& cards() const { return cards_; }
    [[nodiscard]] bool isMaximized() const { return maximized_ != nullptr; }

Q_SIGNALS:
    void maximizedChanged();
    /// A card's context menu is about to be shown: who has something to offer adds it.
    void menuAsked(ChartCard* card, QMenu* menu);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void maximize(ChartCard* card, bool on);
    [[nodiscard]] int columnsFor(int count) const;
    void place();

    QGridLayout* layout_;
    QVector<ChartCard*> cards_;
    QSet<const ChartCard*> hidden_;
    const ChartCard* maximized_ = nullptr;
    int columns_ = 0;
};

}  // namespace lockstep::ui
