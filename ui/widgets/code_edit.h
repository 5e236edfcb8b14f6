// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <QVector>

#include "ui/style/theme.h"

namespace lockstep::ui {

/// A text in the fixed font with numbered lines. Places that something is to be said of have a wavy
/// line, and their line's number its colour; pointing there says it.
class CodeEdit final : public QPlainTextEdit {
    Q_OBJECT
public:
    struct Mark {
        int line = 0;    ///< From 1.
        int column = 0;  ///< From 1, in characters; 0: the whole line.
        Tone tone = Tone::Bad;
        QString sentence;
        bool operator==(const Mark&) const = default;
    };

    explicit CodeEdit(QWidget* parent = nullptr);

    /// Marks of lines that are not there are left out.
    void setMarks(QVector<Mark> marks);
    [[nodiscard]] const QVector<Mark>& marks() const { return marks_; }
    /// Behind the whole line, until the text changes; 0: none.
    void setShownLine(int line);
    /// What is said of a line, a sentence a line; empty: nothing.
    [[nodiscard]] QString saidOf(int line) const;
    /// Left of the text.
    [[nodiscard]] int gutterWidth() const;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    class Gutter;
    void paintGutter(QPaintEvent& event);
    void placeGutter();
    void showMarks();
    [[nodiscard]] QTextCursor extentOf(const Mark& mark) const;

    Gutter* gutter_;
    QVector<Mark> marks_;
    int shownLine_ = 0;
};

}  // namespace lockstep::ui
