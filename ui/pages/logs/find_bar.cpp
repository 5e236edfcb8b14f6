// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/logs/find_bar.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QToolButton>
#include <algorithm>

#include "ui/models/log_model.h"
#include "ui/pages/logs/pattern_edit.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/flow_layout.h"

namespace lockstep::ui {

FindBar::FindBar(LogModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    field_ = new PatternEdit(QStringLiteral("logFind"), tr("Find in the lines (Ctrl+F)"),
                             tr("Find text in the lines"), this);
    field_->edit()->installEventFilter(this);
    count_ = new QLabel(this);
    count_->setObjectName(QStringLiteral("logFindCount"));
    count_->setProperty("secondary", true);
    buildButtons();
    goTo_ = new QLineEdit(this);
    goTo_->setObjectName(QStringLiteral("logGoEdit"));
    goTo_->setPlaceholderText(tr("Line or time (Ctrl+G)"));
    goTo_->setAccessibleName(tr("Go to a line or a time"));
    goTo_->setToolTip(tr("A line's number, such as 12000, or a time, such as 14:05:12"));
    goTo_->setFixedWidth(176);
    goTo_->installEventFilter(this);
    auto* steps = new FlowLayout(nullptr, kGrid);
    for (QWidget* widget : std::initializer_list<QWidget*>{previous_, next_, count_, stop_, goTo_})
        steps->addWidget(widget);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(field_, 1);
    layout->addLayout(steps);
    stackWhenCrowded(this, layout, 0);
    connect(field_, &PatternEdit::patternChanged, this, &FindBar::changePattern);
    connect(goTo_, &QLineEdit::returnPressed, this, &FindBar::goTo);
    connect(&model_, &LogModel::findChanged, this, [this] {
        goOn();
        showCount();
    });
    showCount();
}

void FindBar::buildButtons() {
    previous_ = addButton("logFindPrevious", int(Icon::ChevronUp),
                          tr("The one before (Shift+F3, or Shift+Enter in the field)"));
    next_ = addButton("logFindNext", int(Icon::ChevronDown),
                      tr("The next one (F3, or Enter in the field)"));
    stop_ = addButton("logFindStop", int(Icon::Close), tr("Search no further (Esc)"));
    connect(previous_, &QToolButton::clicked, this, &FindBar::previous);
    connect(next_, &QToolButton::clicked, this, &FindBar::next);
    connect(stop_, &QToolButton::clicked, this, [this] {
        model_.stopFind();
        showCount();
    });
}

QToolButton* FindBar::addButton(const char* name, int icon, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setIcon(makeIcon(Icon(icon)));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void FindBar::focusField() {
    field_->edit()->setFocus(Qt::ShortcutFocusReason);
    field_->edit()->selectAll();
}

void FindBar::focusGoTo() {
    goTo_->setFocus(Qt::ShortcutFocusReason);
    goTo_->selectAll();
}

void FindBar::setCurrentLine(qint64 line) {
    current_ = line;
    showCount();
}

/// What is no regular expression leaves what was found as it is.
void FindBar::changePattern() {
    const LogPattern pattern = field_->pattern();
    Q_EMIT said(pattern.problem().isEmpty()
                    ? QString()
                    : tr("%1. What was found before stays marked.").arg(pattern.problem()));
    if (!pattern.problem().isEmpty()) return;
    waitsFrom_ = pattern.isEmpty() ? -1 : std::max<qint64>(0, current_);
    model_.setFind(pattern);
    showCount();
}

void FindBar::step(bool forward) {
    const LogScan::Lines& found = model_.found();
    if (found.empty()) return;
    const auto lineOf = [](quint32 line) { return qint64(line); };
    if (forward) {
        const auto behind = std::ranges::upper_bound(found, current_, {}, lineOf);
        // What is not searched yet may hold the next one.
        if (behind == found.end() && model_.isFinding()) {
            waitsFrom_ = current_ + 1;
            return;
        }
        Q_EMIT lineChosen(behind == found.end() ? found.front() : *behind);
        return;
    }
    const auto at = std::ranges::lower_bound(found, current_, {}, lineOf);
    Q_EMIT lineChosen(at == found.begin() ? found.back() : *std::prev(at));
}

void FindBar::goOn() {
    if (waitsFrom_ < 0) return;
    const LogScan::Lines& found = model_.found();
    const auto at =
        std::ranges::lower_bound(found, waitsFrom_, {}, [](quint32 line) { return qint64(line); });
    if (at == found.end() && model_.isFinding()) return;
    waitsFrom_ = -1;
    if (!found.empty()) Q_EMIT lineChosen(at == found.end() ? found.front() : *at);
}

void FindBar::showCount() {
    const LogScan::Lines& found = model_.found();
    const bool searches = model_.isFinding();
    const auto at =
        std::ranges::lower_bound(found, current_, {}, [](quint32 line) { return qint64(line); });
    QString text;
    if (model_.find().isEmpty())
        text.clear();
    else if (found.empty())
        text = searches ? tr("Searching") : tr("No line has it");
    else if (at != found.end() && qint64(*at) == current_)
        text = tr("%1 of %2")
                   .arg(units::count(at - found.begin() + 1), units::count(qint64(found.size())));
    else
        text = found.size() == 1 ? tr("1 line")
                                 : tr("%1 lines").arg(units::count(qint64(found.size())));
    const bool isStopped = !model_.find().isEmpty() && !searches && model_.findProgress() < 1;
    if (searches)
        text = tr("%1, %2 searched").arg(text, units::percent(model_.findProgress(), 0));
    else if (isStopped)
        text = tr("%1, stopped at %2").arg(text, units::percent(model_.findProgress(), 0));
    count_->setText(text);
    count_->setVisible(!text.isEmpty());
    stop_->setVisible(searches);
    previous_->setEnabled(!found.empty());
    next_->setEnabled(!found.empty());
}

/// A number of digits is a line, what has colons a time on the day of the line that is chosen.
void FindBar::goTo() {
    QString text = goTo_->text().simplified();
    text.remove(QRegularExpression(QStringLiteral("[\\s,'.]")));
    bool isNumber = false;
    const qint64 number = text.toLongLong(&isNumber);
    const qint64 lines = model_.finishedCount();
    if (lines == 0) return Q_EMIT said(tr("No line is finished yet."));
    if (isNumber && number >= 1) {
        Q_EMIT said(number <= lines ? QString()
                    : lines == 1
                        ? tr("There is one line. This is it.")
                        : tr("There are %1 lines. This is the last one.").arg(units::count(lines)));
        Q_EMIT lineChosen(std::min(number, lines) - 1);
        return;
    }
    QTime time = QTime::fromString(text, QStringLiteral("H:m:s"));
    if (!time.isValid()) time = QTime::fromString(text, QStringLiteral("H:m"));
    if (!time.isValid()) {
        Q_EMIT said(
            tr("“%1” is neither a line's number, such as 12000, nor a time, such as 14:05:12.")
                .arg(goTo_->text()));
        return;
    }
    const int row = model_.rowAtOrBehind(std::max<qint64>(0, current_));
    const double day = model_.wallTimeAt(row).value_or(0);
    const QDateTime moment(QDateTime::fromSecsSinceEpoch(qint64(day)).date(), time);
    const qint64 line = model_.lineAtTime(double(moment.toSecsSinceEpoch()));
    Q_EMIT said(line >= lines ? tr("No line is as late as that. This is the last one.")
                              : QString());
    Q_EMIT lineChosen(std::min(line, lines - 1));
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (watched == field_->edit() && isEnter) {
        step(!key->modifiers().testFlag(Qt::ShiftModifier));
        return true;
    }
    if (key->key() != Qt::Key_Escape) return QWidget::eventFilter(watched, event);
    if (watched == field_->edit() && model_.isFinding())
        model_.stopFind();
    else
        Q_EMIT left();
    showCount();
    return true;
}

}  // namespace lockstep::ui
