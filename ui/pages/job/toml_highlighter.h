// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSyntaxHighlighter>

namespace lockstep::ui {

/// Colours for what a TOML file is made of: names of tables, strings, numbers and other values,
/// comments. Keys have the text's own colour.
class TomlHighlighter final : public QSyntaxHighlighter {
    Q_OBJECT
public:
    /// `widget`: shows the document; its theme's colours are taken.
    TomlHighlighter(QTextDocument* document, const QWidget& widget);

    /// Off: the document is another language.
    void setOn(bool on);

protected:
    void highlightBlock(const QString& line) override;

private:
    [[nodiscard]] qsizetype skipString(const QString& line, qsizetype at);

    const QWidget& widget_;
    bool isOn_ = true;
};

}  // namespace lockstep::ui
