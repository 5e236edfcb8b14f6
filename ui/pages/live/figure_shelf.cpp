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
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr int kSearchWidth = 260;

/// How much a pattern may try before it is given up: some can try for years, and the window waits.
const auto kMostTried = QStringLiteral("(*LIMIT_MATCH=20000)");

/// Whether a figure is called so, in files or on its card; nothing: it takes too long to tell.
std::optional<bool> isIn(const QRegularExpression& sought, const QString& name,
                         const QString& title) {
    for (const QString& words : {name, title}) {
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
    earlier_ = addTurn("figuresBefore", tr("The figures before these"), false);
    later_ = addTurn("figuresBehind", tr("The figures behind these"), true);
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
    row->addWidget(earlier_);
    row->addWidget(later_);
    row->addWidget(hidden_);
}

QToolButton* FigureShelf::addTurn(const char* name, const QString& words, bool later) {
    auto* button = new QToolButton(bar_);
    button->setObjectName(QLatin1String(name));
    button->setIcon(makeIcon(later ? Icon::ChevronRight : Icon::ChevronLeft));
    button->setToolTip(words);
    button->setAccessibleName(words);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::StrongFocus);
    connect(button, &QToolButton::clicked, this, [this, later] { turn(later ? 1 : -1); });
    return button;
}

void FigureShelf::turn(int pages) {
    page_ = std::max<qsizetype>(0, pageOf(foundNames().size()) + pages);
    place();
}

void FigureShelf::setJob(const QString& name) {
    if (name == job_) return;
    job_ = name;
    page_ = 0;
    layout_.open(name);
    place();
}

void FigureShelf::add(const QVector<Name>& names) {
    for (const Name& each : names) {
        names_ << each.name;
        const auto isSought = sought_ ? isIn(*sought_, each.name, each.title) : true;
        if (!isSought) wrong_ = tooSlow();
        figures_.insert(each.name, {each.title, nullptr, nullptr, isSought.value_or(false)});
    }
    place();
}

void FigureShelf::clear() {
    names_.clear();
    for (const Figure& figure : std::exchange(figures_, {}))
        if (figure.card != nullptr) grid_->remove(figure.card);
    place();
}

void FigureShelf::ensureCard(const QString& name) {
    if (figures_[name].card != nullptr) return;
    ChartCard* card = makeCard_(name);
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
    figures_[name].card = card;
    figures_[name].pin = pinned;
    grid_->add(card);
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
        const auto isSought = sought ? isIn(*sought, figure.key(), figure->title) : true;
        if (!isSought) {
            wrong_ = tooSlow();
            return;
        }
        figure->isSought = *isSought;
    }
    figures_ = std::move(figures);
    sought_ = sought;
    page_ = 0;
}

bool FigureShelf::isFound(const QString& name) const {
    return !layout_.isHidden(name) && figures_[name].isSought;
}

QStringList FigureShelf::foundNames() const {
    QStringList found;
    for (const QString& name : layout_.arranged(names_))
        if (isFound(name)) found << name;
    return found;
}

qsizetype FigureShelf::pageOf(qsizetype found) const {
    return std::min(page_, std::max<qsizetype>(0, found - 1) / kPage);
}

QStringList FigureShelf::shownNames() const {
    const QStringList found = foundNames();
    return found.mid(pageOf(found.size()) * kPage, kPage);
}

void FigureShelf::place() {
    QSet<const ChartCard*> shown;
    for (const QString& name : shownNames()) {
        ensureCard(name);
        shown.insert(figures_[name].card);
    }
    QVector<ChartCard*> cards;
    for (const QString& name : layout_.arranged(names_)) {
        const Figure& figure = figures_[name];
        if (figure.card == nullptr) continue;
        figure.pin->setChecked(layout_.isPinned(name));
        cards << figure.card;
    }
    grid_->arrange(cards, shown);
    followInTabOrder(bar_, grid_);  // a card that has come stands behind the whole window
    showCounts(foundNames().size());
}

void FigureShelf::showCounts(qsizetype found) {
    const auto hidden = std::ranges::count_if(
        names_, [this](const QString& name) { return layout_.isHidden(name); });
    hidden_->setText(hidden > 0 ? tr("Hidden: %1").arg(hidden) : tr("Arrangement"));
    hidden_->setVisible(hidden > 0 || !layout_.isEmpty());
    const qsizetype all = names_.size() - hidden;
    const qsizetype first = pageOf(found) * kPage;
    const qsizetype last = std::min(found, first + kPage);
    const bool isPaged = found > kPage;
    QString words;
    if (!wrong_.isEmpty())
        words = wrong_;
    else if (sought_ && found == 0)
        words = tr("No figure is called so");
    else if (sought_ && isPaged)
        words = tr("Found: %1 of %2, here %3 to %4").arg(found).arg(all).arg(first + 1).arg(last);
    else if (sought_)
        words = tr("Found: %1 of %2").arg(found).arg(all);
    else if (isPaged)
        words =
            tr("%1 to %2 of %3 figures; search to see others").arg(first + 1).arg(last).arg(all);
    said_->setText(words);
    markProblem(said_, "problem", !wrong_.isEmpty());
    earlier_->setVisible(isPaged);
    later_->setVisible(isPaged);
    earlier_->setEnabled(first > 0);
    later_->setEnabled(last < found);
}

void FigureShelf::fillHidden(QMenu& menu) {
    menu.clear();
    for (const QString& name : names_) {
        if (!layout_.isHidden(name)) continue;
        menu.addAction(tr("Show %1").arg(figures_[name].title), this, [this, name] {
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
    if (layout_.isPinned(name)) page_ = 0;  // it goes there
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
    if (layout_.move(card.property("figure").toString(), later, foundNames())) place();
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
