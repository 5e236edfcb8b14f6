// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/models/log_pattern.h"

class QLineEdit;
class QToolButton;

namespace lockstep::ui {

/// A field for what lines must hold, with a button for matching case and one for regular
/// expressions. What is no regular expression is marked.
class PatternEdit final : public QWidget {
    Q_OBJECT
public:
    /// The field is called `name`Edit, its buttons `name`Case and `name`Regex.
    PatternEdit(const QString& name, const QString& placeholder, const QString& accessibleName,
                QWidget* parent = nullptr);

    [[nodiscard]] LogPattern pattern() const;
    [[nodiscard]] QLineEdit* edit() const { return edit_; }
    void clear();

Q_SIGNALS:
    void patternChanged();

private:
    QToolButton* addButton(const QString& name, const QString& text, const QString& tip);
    void change();

    QLineEdit* edit_;
    QToolButton* case_;
    QToolButton* regex_;
};

}  // namespace lockstep::ui
