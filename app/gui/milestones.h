// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace lockstep::ui {
class MainWindow;
}

namespace lockstep::app {

/// For measuring from outside: says on standard output `painted` once the window was painted, and
/// `live` once the chart of a running job shows points that it knows of.
class Milestones final : public QObject {
    Q_OBJECT
public:
    /// Borrows the window, before it is shown.
    explicit Milestones(ui::MainWindow& window, QObject* parent = nullptr);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void afterPaint();

    ui::MainWindow& window_;
    bool painted_ = false;
    bool live_ = false;
};

}  // namespace lockstep::app
