// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>

#include "ui/widgets/card.h"

class QLabel;
class QMenu;
class QToolButton;

namespace lockstep::ui {

class FigureLabel;
class LiveChart;

/// A chart with a head: title, newest value, unit, a button for the log scale where the chart
/// offers one, and a button that asks for the whole page. The value changes at most once a second,
/// so that it can be read.
class ChartCard final : public Card {
    Q_OBJECT
public:
    /// Takes ownership of the chart.
    explicit ChartCard(LiveChart* chart, QWidget* parent = nullptr);

    [[nodiscard]] LiveChart& chart() const { return *chart_; }
    /// Changes the button's picture and meaning; the page does the rest.
    void setMaximized(bool maximized);
    /// False where curves have no newest value in common.
    void setShowsValue(bool shows);

Q_SIGNALS:
    void maximizeToggled(bool maximized);
    /// Its context menu is about to be shown: who has something to offer adds it.
    void menuAsked(QMenu* menu);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    QToolButton* makeLogButton();
    void noteValue();
    void refreshValue();

    LiveChart* chart_;
    FigureLabel* value_;
    QLabel* unit_;
    QToolButton* maximize_;
    QElapsedTimer sinceShown_;
    QTimer nextValue_;
    bool maximized_ = false;
    bool showsValue_ = true;
};

}  // namespace lockstep::ui
