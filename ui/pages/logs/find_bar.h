// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace lockstep::ui {

class LogModel;
class PatternEdit;

/// The search in the log: what for, the next and the previous line that holds it, which one of how
/// many is chosen, how far it has come. Beside it the way to a line or a time.
class FindBar final : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(LogModel& model, QWidget* parent = nullptr);

    void focusField();
    void focusGoTo();
    /// The line that is chosen in the table, -1: none. What is searched for is looked for from
    /// there on.
    void setCurrentLine(qint64 line);
    /// Goes to the next line that holds what is looked for, behind the last one to the first.
    void next() { step(true); }
    void previous() { step(false); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

Q_SIGNALS:
    void lineChosen(qint64 line);
    /// Away from the bar, to the lines.
    void left();
    /// Something to be said, in a sentence; empty: nothing any more.
    void said(const QString& sentence);

private:
    void buildButtons();
    QToolButton* addButton(const char* name, int icon, const QString& tip);
    void changePattern();
    void step(bool forward);
    void goOn();
    void showCount();
    void goTo();

    LogModel& model_;
    PatternEdit* field_ = nullptr;
    QToolButton* previous_ = nullptr;
    QToolButton* next_ = nullptr;
    QToolButton* stop_ = nullptr;
    QLabel* count_ = nullptr;
    QLineEdit* goTo_ = nullptr;
    qint64 current_ = -1;
    qint64 waitsFrom_ = -1;  ///< The first match at or behind it is to be chosen once it is found.
};

}  // namespace lockstep::ui
