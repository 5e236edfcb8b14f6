// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/figure_shelf.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/pages/live/chart_grid.h"
#include "ui/pages/page_parts.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr int kSearchWidth = 260;

/// How much a pattern may try before it is given up: some can try for years, and the window waits.
const auto kMostTried = QStringLiteral("(*LIMIT_MATCH=20000)");

/// Whether a figure is called so, in files or on its card; nothing: it takes too long to tell.
std::optional<bool> isIn(const QRegularExpression& sought, const QString& name,
                         const ChartCard& card) {
    for (const QString& words : {name, card.title()}) {
        const QRegularExpressionMatch match = sought.match(words);
        if (!match.isValid()) return std::nullopt;
        if (match.hasMatch()) return true;
    }
    return false;
}

QString tooSlow() {
    return FigureShelf::tr("Too slow: there are too many ways to read a name so");
}

}  // namespace

FigureShelf::FigureShelf(QWidget* parent) : QWidget(parent), grid_(new ChartGrid(this)) {
    grid_->setObjectName(QStringLiteral("figureGrid"));
    buildBar();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(bar_);
    layout->addWidget(grid_, 1);
    connect(grid_, &ChartGrid::menuAsked, this,
            [this](ChartCard* card, QMenu* menu) { offer(*card, *menu); });
    connect(grid_, &ChartGrid::maximizedChanged, this, [this] {
        bar_->setVisible(!grid_->isMaximized());
        Q_EMIT maximizedChanged();
    });
}

void FigureShelf::buildBar() {
    bar_ = new QWidget(this);
    words_ = new QLineEdit(bar_);
    words_->setObjectName(QStringLiteral("figureSearch"));
    words_->setAccessibleName(tr("Search the named figures"));
    words_->setPlaceholderText(tr("Search: a regular expression"));
    words_->setToolTip(tr("Part of a name, or a regular expression such as loss|norm (Ctrl+F)"));
    words_->setClearButtonEnabled(true);
    words_->setMaximumWidth(kSearchWidth);
    connect(words_, &QLineEdit::textChanged, this, &FigureShelf::search);
    said_ = new QLabel(bar_);
    said_->setObjectName(QStringLiteral("figureSearchSays"));
    said_->setProperty("secondary", true);
    hidden_ = new QPushButton(bar_);
    hidden_->setObjectName(QStringLiteral("hiddenFigures"));
    hidden_->setToolTip(tr("Show hidden figures again, or all as they came"));
    auto* menu = new QMenu(hidden_);
    hidden_->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillHidden(*menu); });
    auto* row = new QHBoxLayout(bar_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kGrid);
    row->addWidget(words_, 1);
    row->addWidget(said_, 1);
    row->addWidget(hidden_);
}

void FigureShelf::setJob(const QString& name) {
    if (name == job_) return;
    job_ = name;
    layout_.open(name);
    place();
}

void FigureShelf::add(const QString& name, ChartCard* card) {
    auto* pinned = new QToolButton(card);
    pinned->setObjectName(QStringLiteral("pin"));
    pinned->setText(tr("Pin"));
    pinned->setProperty("toggle", true);
    pinned->setFont(smallFont());
    pinned->setCheckable(true);
    pinned->setAutoRaise(true);
    pinned->setFocusPolicy(Qt::StrongFocus);
    pinned->setToolTip(tr("Before all others (P)"));
    pinned->setAccessibleName(tr("%1: before all others").arg(card->title()));
    connect(pinned, &QToolButton::clicked, this, [this, card] { pin(*card); });
    card->addTitleWidget(pinned);
    followInTabOrder(pinned, card);
    card->setProperty("figure", name);
    names_ << name;
    const auto isSought = sought_ ? isIn(*sought_, name, *card) : true;
    if (!isSought) wrong_ = tooSlow();
    figures_.insert(name, {card, pinned, isSought.value_or(false)});
    grid_->add(card);
    place();
}

void FigureShelf::remove(ChartCard* card) {
    const QString name = card->property("figure").toString();
    names_.removeAll(name);
    figures_.remove(name);
    grid_->remove(card);
    place();
}

void FigureShelf::focusSearch() {
    words_->setFocus(Qt::ShortcutFocusReason);
    words_->selectAll();
}

/// What is no regular expression, or takes too long, leaves what is shown as it is, and is said.
void FigureShelf::search(const QString& words) {
    constexpr auto kAnyCase = QRegularExpression::CaseInsensitiveOption;
    const QRegularExpression typed(words, kAnyCase);
    wrong_.clear();
    if (!typed.isValid())
        wrong_ = tr("Not a regular expression: %1, at character %2")
                     .arg(typed.errorString(), units::count(typed.patternErrorOffset() + 1));
    else if (words.isEmpty())
        seek(std::nullopt);
    else
        seek(QRegularExpression(kMostTried + words, kAnyCase));
    markProblem(words_, "invalid", !wrong_.isEmpty());
    place();
}

void FigureShelf::seek(const std::optional<QRegularExpression>& sought) {
    QHash<QString, Figure> figures = figures_;
    for (auto figure = figures.begin(); figure != figures.end(); ++figure) {
        const auto isSought = sought ? isIn(*sought, figure.key(), *figure->card) : true;
        if (!isSought) {
            wrong_ = tooSlow();
            return;
        }
        figure->isSought = *isSought;
    }
    figures_ = std::move(figures);
    sought_ = sought;
}

bool FigureShelf::isFound(const QString& name) const {
    return !layout_.isHidden(name) && figures_[name].isSought;
}

QStringList FigureShelf::shownNames() const {
    QStringList shown;
    for (const QString& name : layout_.arranged(names_))
        if (isFound(name)) shown << name;
    return shown;
}

void FigureShelf::place() {
    QVector<ChartCard*> cards;
    qsizetype found = 0;
    for (const QString& name : layout_.arranged(names_)) {
        const Figure& figure = figures_[name];
        const bool isShown = isFound(name);
        found += isShown ? 1 : 0;
        grid_->setShown(figure.card, isShown);
        figure.pin->setChecked(layout_.isPinned(name));
        cards << figure.card;
    }
    grid_->setOrder(cards);
    followInTabOrder(bar_, grid_);  // a card that has come stands behind the whole window
    showCounts(found);
}

void FigureShelf::showCounts(qsizetype found) {
    const auto hidden = std::ranges::count_if(
        names_, [this](const QString& name) { return layout_.isHidden(name); });
    hidden_->setText(hidden > 0 ? tr("Hidden: %1").arg(hidden) : tr("Arrangement"));
    hidden_->setVisible(hidden > 0 || !layout_.isEmpty());
    QString words = wrong_;
    if (words.isEmpty() && sought_)
        words = found > 0 ? tr("Found: %1 of %2").arg(found).arg(names_.size() - hidden)
                          : tr("No figure is called so");
    said_->setText(words);
    markProblem(said_, "problem", !wrong_.isEmpty());
}

void FigureShelf::fillHidden(QMenu& menu) {
    menu.clear();
    for (const QString& name : names_) {
        if (!layout_.isHidden(name)) continue;
        menu.addAction(tr("Show %1").arg(figures_[name].card->title()), this, [this, name] {
            layout_.setHidden(name, false);
            place();
        });
    }
    if (!menu.isEmpty()) menu.addSeparator();
    QAction* all = menu.addAction(tr("All, as they came"), this, [this] {
        layout_.clear();
        place();
    });
    all->setObjectName(QStringLiteral("showAllFigures"));
}

void FigureShelf::offer(ChartCard& card, QMenu& menu) {
    const bool isPinned = layout_.isPinned(card.property("figure").toString());
    const auto add = [&](const char* name, const QString& words, const QKeySequence& key,
                         auto verb) {
        QAction* action = menu.addAction(words, this, verb);
        action->setObjectName(QLatin1String(name));
        action->setShortcut(key);  // said in the menu; the card hears it
    };
    add("pinFigure", isPinned ? tr("No longer before all others") : tr("Before all others"),
        Qt::Key_P, [this, &card] { pin(card); });
    add("hideFigure", tr("Hide"), Qt::Key_H, [this, &card] { hide(card); });
    add("moveFigureEarlier", tr("Move earlier"), Qt::ALT | Qt::Key_Left,
        [this, &card] { move(card, false); });
    add("moveFigureLater", tr("Move later"), Qt::ALT | Qt::Key_Right,
        [this, &card] { move(card, true); });
}

void FigureShelf::pin(ChartCard& card) {
    const QString name = card.property("figure").toString();
    layout_.setPinned(name, !layout_.isPinned(name));
    place();
}

/// The keyboard goes on with what takes its place.
void FigureShelf::hide(ChartCard& card) {
    const QString name = card.property("figure").toString();
    const bool hadKeyboard = focusedCard() == &card;
    const qsizetype place = shownNames().indexOf(name);
    layout_.setHidden(name, true);
    this->place();
    const QStringList left = shownNames();
    if (!hadKeyboard) return;
    if (left.isEmpty())
        focusSearch();
    else
        figures_[left[std::min(place, left.size() - 1)]].card->chart().setFocus();
}

void FigureShelf::move(ChartCard& card, bool later) {
    if (layout_.move(card.property("figure").toString(), later, shownNames())) place();
}

ChartCard* FigureShelf::focusedCard() const {
    const QWidget* focused = window()->focusWidget();
    for (ChartCard* card : grid_->cards())
        if (focused != nullptr && card->isAncestorOf(focused)) return card;
    return nullptr;
}

void FigureShelf::keyPressEvent(QKeyEvent* event) {
    ChartCard* card = focusedCard();
    const QKeyCombination keys = event->keyCombination();
    if (card == nullptr)
        event->ignore();
    else if (keys == QKeyCombination(Qt::Key_P))
        pin(*card);
    else if (keys == QKeyCombination(Qt::Key_H))
        hide(*card);
    else if (keys == (Qt::ALT | Qt::Key_Left) || keys == (Qt::ALT | Qt::Key_Right))
        move(*card, event->key() == Qt::Key_Right);
    else
        event->ignore();
}

}  // namespace lockstep::ui
