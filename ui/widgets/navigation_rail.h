// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/style/icons.h"

class QAbstractButton;
class QButtonGroup;
class QVBoxLayout;

namespace lockstep::ui {

/// The pages of the window, one below the other: icon and word. Up, down, home and end move.
class NavigationRail final : public QWidget {
    Q_OBJECT
public:
    explicit NavigationRail(QWidget* parent = nullptr);

    /// Returns the entry's index. The word may hold a mnemonic ("&Live").
    int addEntry(Icon icon, const QString& word);
    void setCurrent(int index);
    [[nodiscard]] int current() const;
    /// A small dot in a tone beside the icon; Neutral: none.
    void setBadge(int index, Tone tone, const QString& meaning = {});

Q_SIGNALS:
    void currentChanged(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QButtonGroup* group_;
    QVBoxLayout* entries_;
};

}  // namespace lockstep::ui
