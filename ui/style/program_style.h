// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace lockstep::ui {

/// Fusion, without what does not go with our style sheet: the desktop's icons on buttons of
/// dialogs, lists of combo boxes that cover their field, square windows behind round pop-ups.
class ProgramStyle final : public QProxyStyle {
    Q_OBJECT
public:
    ProgramStyle();

    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* answer) const override;
    void polish(QWidget* widget) override;
    using QProxyStyle::polish;
};

}  // namespace lockstep::ui
