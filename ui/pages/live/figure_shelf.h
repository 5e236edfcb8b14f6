// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QRegularExpression>
#include <QWidget>
#include <optional>

#include "ui/models/figure_layout.h"

class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QToolButton;

namespace lockstep::ui {

class ChartCard;
class ChartGrid;

/// The cards of named figures: searched by a regular expression, pinned before the others, hidden,
/// moved. The arrangement is that of the job's name. A card that has the keyboard hears P (pin), H
/// (hide), Alt and an arrow (move); its menu has the same.
class FigureShelf final : public QWidget {
    Q_OBJECT
public:
    explicit FigureShelf(QWidget* parent = nullptr);

    [[nodiscard]] ChartGrid& grid() const { return *grid_; }
    /// Whose figures these are: takes the arrangement that was kept.
    void setJob(const QString& name);
    /// Takes ownership of the card; `name` is the figure's in files.
    void add(const QString& name, ChartCard* card);
    /// Destroys it.
    void remove(ChartCard* card);
    void focusSearch();

Q_SIGNALS:
    /// A card has the page for itself, or no more.
    void maximizedChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildBar();
    void search(const QString& words);
    void seek(const std::optional<QRegularExpression>& sought);
    void place();
    void showCounts(qsizetype found);
    void fillHidden(QMenu& menu);
    void offer(ChartCard& card, QMenu& menu);
    void pin(ChartCard& card);
    void hide(ChartCard& card);
    void move(ChartCard& card, bool later);
    [[nodiscard]] ChartCard* focusedCard() const;
    [[nodiscard]] bool isFound(const QString& name) const;
    /// Those of the cards as they are placed, hidden and unsought ones left out.
    [[nodiscard]] QStringList shownNames() const;

    struct Figure {
        ChartCard* card = nullptr;
        QToolButton* pin = nullptr;
        bool isSought = true;
    };

    ChartGrid* grid_;
    QWidget* bar_ = nullptr;
    QLineEdit* words_ = nullptr;
    QLabel* said_ = nullptr;
    QPushButton* hidden_ = nullptr;
    QString job_;
    FigureLayout layout_;
    QStringList names_;  ///< In order of arrival.
    QHash<QString, Figure> figures_;
    std::optional<QRegularExpression> sought_;  ///< Nothing: all.
    QString wrong_;                             ///< What is wrong with what was typed.
};

}  // namespace lockstep::ui
