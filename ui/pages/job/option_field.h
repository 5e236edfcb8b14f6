// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "ui/models/layer_options.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;

namespace lockstep::ui {

/// One option of a layer: its name, an editor that fits its kind, and beneath it the problem.
class OptionField final : public QWidget {
    Q_OBJECT
public:
    explicit OptionField(const OptionKind& kind, QWidget* parent = nullptr);

    [[nodiscard]] const OptionKind& kind() const { return kind_; }
    /// The widget to type in.
    [[nodiscard]] QWidget* input() const;
    /// nullopt: it is not written. What somebody is typing stays as it was typed.
    void setValue(const std::optional<QString>& value);
    /// Empty: there is none.
    void setProblem(const QString& sentence, bool isWrong);

Q_SIGNALS:
    void edited(const QString& value);
    /// It is to be left out of the file.
    void cleared();

private:
    void buildWords();
    void buildText();
    void tell(const QString& value);

    OptionKind kind_;
    std::optional<QString> value_;
    bool telling_ = false;        ///< What comes now is the answer to what was typed.
    QComboBox* words_ = nullptr;  ///< One of these two is there.
    QLineEdit* text_ = nullptr;
    QLabel* problem_ = nullptr;
};

}  // namespace lockstep::ui
