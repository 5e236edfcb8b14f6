// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/wheel_guard.h"

#include <QEvent>
#include <QWidget>

namespace lockstep::ui {
namespace {

class WheelGuard final : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus())
            return false;
        event->ignore();  // goes on to whatever scrolls
        return true;
    }
};

}  // namespace

void guardWheel(QWidget* input) {
    input->setFocusPolicy(Qt::StrongFocus);
    input->installEventFilter(new WheelGuard(input));
}

}  // namespace lockstep::ui
