// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

namespace lockstep::ui {

/// Words of the window outside of a QObject, in the chosen language. lupdate files what it finds as
/// tr("...") in a function of this namespace under the namespace's name.
[[nodiscard]] inline QString tr(const char* words) {
    return QCoreApplication::translate("lockstep::ui", words);
}

}  // namespace lockstep::ui
