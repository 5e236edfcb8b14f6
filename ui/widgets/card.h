// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QVBoxLayout;

namespace lockstep::ui {

class ElidedLabel;
class FlowLayout;

/// A titled surface with a hairline around it. What has no room beside the title stands in a
/// further row; a title that has none there ends in "…".
class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const QString& title = {}, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    [[nodiscard]] QString title() const;
    /// Where a long title is cut: at its end, or in its middle where its end tells.
    void setTitleElide(Qt::TextElideMode mode);
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
    ElidedLabel* title_;
    QLabel* subtitle_;
    FlowLayout* headLayout_;
    QVBoxLayout* body_;
};

}  // namespace lockstep::ui
