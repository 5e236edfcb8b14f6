// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QRegularExpression>
#include <QVector>
#include <QWidget>
#include <functional>
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
/// moved. A figure has a card once it is to be seen: of many, a page of them at a time. The
/// arrangement is that of the job's name. A card that has the keyboard hears P (pin), H (hide), Alt
/// and an arrow (move); its menu has the same.
class FigureShelf final : public QWidget {
    Q_OBJECT
public:
    static constexpr qsizetype kPage = 64;  ///< Cards that are shown at a time.

    explicit FigureShelf(QWidget* parent = nullptr);

    [[nodiscard]] ChartGrid& grid() const { return *grid_; }
    /// Whose figures these are: takes the arrangement that was kept.
    void setJob(const QString& name);
    struct Name {
        QString name;   ///< The figure's in files.
        QString title;  ///< What its card is called.
    };
    /// Called when the figure is first to be seen; the card is then the shelf's.
    using CardMaker = std::function<ChartCard*(const QString& name)>;
    void setCardMaker(CardMaker maker) { makeCard_ = std::move(maker); }
    /// Behind those that are there.
    void add(const QVector<Name>& names);
    /// Destroys all cards.
    void clear();
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
    void ensureCard(const QString& name);
    QToolButton* addTurn(const char* name, const QString& words, bool later);
    void turn(int pages);
    void showCounts(qsizetype found);
    void fillHidden(QMenu& menu);
    void offer(ChartCard& card, QMenu& menu);
    void pin(ChartCard& card);
    void hide(ChartCard& card);
    void move(ChartCard& card, bool later);
    [[nodiscard]] ChartCard* focusedCard() const;
    [[nodiscard]] bool isFound(const QString& name) const;
    /// As they are placed, hidden and unsought ones left out.
    [[nodiscard]] QStringList foundNames() const;
    /// Those of them that the page shows.
    [[nodiscard]] QStringList shownNames() const;
    [[nodiscard]] qsizetype pageOf(qsizetype found) const;

    struct Figure {
        QString title;
        ChartCard* card = nullptr;  ///< Null: it was not to be seen yet.
        QToolButton* pin = nullptr;
        bool isSought = true;
    };

    ChartGrid* grid_;
    QWidget* bar_ = nullptr;
    QLineEdit* words_ = nullptr;
    QLabel* said_ = nullptr;
    QToolButton* earlier_ = nullptr;
    QToolButton* later_ = nullptr;
    QPushButton* hidden_ = nullptr;
    CardMaker makeCard_;
    QString job_;
    FigureLayout layout_;
    QStringList names_;  ///< In order of arrival.
    QHash<QString, Figure> figures_;
    qsizetype page_ = 0;                        ///< That was turned to; there may be fewer now.
    std::optional<QRegularExpression> sought_;  ///< Nothing: all.
    QString wrong_;                             ///< What is wrong with what was typed.
};

}  // namespace lockstep::ui
