// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace lockstep::ui {

/// A figure that changes many times a second. Its size only grows: a label of another size makes
/// every layout around it begin anew, which costs more than all else that a new figure does.
class FigureLabel : public QLabel {
    Q_OBJECT
public:
    using QLabel::QLabel;

    void setFigure(const QString& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fit();
};

}  // namespace lockstep::ui
