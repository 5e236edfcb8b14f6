// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/program_style.h"

#include <QMenu>
#include <QPushButton>
#include <QStyleFactory>

namespace lockstep::ui {
namespace {

constexpr QSize kIconAndGap(20, 16);

}  // namespace

ProgramStyle::ProgramStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

int ProgramStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                            QStyleHintReturn* answer) const {
    switch (hint) {
        case SH_DialogButtonBox_ButtonsHaveIcons:
        case SH_ComboBox_Popup:
            return 0;
        default:
            return QProxyStyle::styleHint(hint, option, widget, answer);
    }
}

void ProgramStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    // Qt puts 4 pixels between icon and word, which cannot be set.
    if (auto* button = qobject_cast<QPushButton*>(widget)) button->setIconSize(kIconAndGap);
    const bool isPopUp =
        qobject_cast<QMenu*>(widget) != nullptr || widget->inherits("QComboBoxPrivateContainer");
    if (!isPopUp || widget->testAttribute(Qt::WA_TranslucentBackground)) return;
    // What the sheet draws is round; the window behind it is not to be seen.
    widget->setWindowFlag(Qt::FramelessWindowHint);
    widget->setWindowFlag(Qt::NoDropShadowWindowHint);
    widget->setAttribute(Qt::WA_TranslucentBackground);
}

}  // namespace lockstep::ui
