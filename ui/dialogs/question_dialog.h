// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QCheckBox;
class QHBoxLayout;
class QPushButton;
class QVBoxLayout;

namespace lockstep::ui {

/// A sentence, what follows from it, and verbs to choose from.
class QuestionDialog final : public QDialog {
    Q_OBJECT
public:
    enum class Verb {
        Stay,     ///< Changes nothing.
        Proceed,  ///< The main one.
        Lose,     ///< Ends or discards something.
    };

    QuestionDialog(const QString& title, const QString& sentence, const QString& explanation,
                   QWidget* parent);

    /// From left to right. Owned here.
    QPushButton* addButton(const QString& verb, const char* name, Verb kind);
    QCheckBox* addCheck(const QString& text, const char* name);

    /// Waits for the answer: the button that was pressed; null: none.
    [[nodiscard]] QPushButton* ask();

private:
    QVBoxLayout* layout_;
    QHBoxLayout* buttons_;
    QPushButton* pressed_ = nullptr;
};

}  // namespace lockstep::ui
