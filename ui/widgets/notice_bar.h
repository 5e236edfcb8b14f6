// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "ui/style/theme.h"

class QLabel;
class QPushButton;
class QToolButton;
class QBoxLayout;

namespace lockstep::ui {

/// A message in the page: what happened, what to do about it, its details for a colleague.
/// Hidden until show() of a notice; dismissed by its button or Escape.
class NoticeBar final : public QFrame {
    Q_OBJECT
public:
    struct Notice {
        Tone tone = Tone::Neutral;
        QString sentence;
        QString remedy;   ///< What to do; may be empty and may have several lines.
        QString details;  ///< For "Copy details"; empty: no such button.
    };

    explicit NoticeBar(QWidget* parent = nullptr);

    void showNotice(const Notice& notice);
    void clear();
    /// Other words for the same notice, whose buttons stay: a time that runs.
    void setSentence(const QString& sentence);
    void setRemedy(const QString& remedy);
    [[nodiscard]] const Notice& notice() const { return notice_; }
    /// A button with a verb at the right, kept until the next notice. Owned here.
    QPushButton* addAction(const QString& verb);

Q_SIGNALS:
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void copyDetails();
    void placeVerbs();

    Notice notice_;
    QWidget* picture_;
    QLabel* sentence_;
    QLabel* remedy_;
    QBoxLayout* row_ = nullptr;  ///< The words, and beside or below them what can be done.
    QWidget* verbs_ = nullptr;
    QList<QPushButton*> actions_;
    QToolButton* copy_;
    QToolButton* close_;
};

}  // namespace lockstep::ui
