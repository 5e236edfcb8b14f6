// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/style/icons.h"

class QLabel;
class QPushButton;
class QVBoxLayout;
class QHBoxLayout;

namespace lockstep::ui {

/// What a page shows while it has nothing to show: what will be here and how to get it.
class EmptyState final : public QWidget {
    Q_OBJECT
public:
    EmptyState(Icon icon, const QString& title, const QString& text, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setText(const QString& text);
    /// At most two; the first one is the primary action. Returned to be connected; owned here.
    QPushButton* addButton(const QString& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refreshIcon();

    Icon icon_;
    QLabel* picture_;
    QLabel* title_;
    QLabel* text_;
    QHBoxLayout* buttons_;
};

}  // namespace lockstep::ui
