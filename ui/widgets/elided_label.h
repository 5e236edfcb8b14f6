// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

namespace lockstep::ui {

/// One line of text that ends in "…" where it does not fit; the whole text is its tool tip then.
class ElidedLabel final : public QFrame {
    Q_OBJECT
public:
    explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);

    void setText(const QString& text);
    [[nodiscard]] QString text() const { return text_; }
    void setElideMode(Qt::TextElideMode mode);
    /// In the secondary text colour.
    void setSecondary(bool secondary);
    [[nodiscard]] bool isElided() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QString text_;
    Qt::TextElideMode mode_ = Qt::ElideRight;
    bool secondary_ = false;
};

}  // namespace lockstep::ui
