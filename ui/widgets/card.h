// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QVBoxLayout;
class QHBoxLayout;

namespace lockstep::ui {

/// A titled surface with a hairline around it.
class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const QString& title = {}, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    [[nodiscard]] QString title() const;
    /// Under the title, in small secondary text; empty: none.
    void setSubtitle(const QString& subtitle);
    /// Appended at the right of the head. The card takes ownership.
    void addHeadWidget(QWidget* widget);
    /// Beside the title. The card takes ownership.
    void addTitleWidget(QWidget* widget);
    /// Where the content goes.
    [[nodiscard]] QVBoxLayout* body() const { return body_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* head_;
    QLabel* title_;
    QLabel* subtitle_;
    QHBoxLayout* headLayout_;
    QVBoxLayout* body_;
};

}  // namespace lockstep::ui
