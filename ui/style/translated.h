// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

namespace lockstep::ui {

/// Words of the window outside of a QObject, in the chosen language. lupdate files what it finds as
/// tr("...") in a function of this namespace under the namespace's name.
/// `meaning`: tells words that are alike in English apart.
[[nodiscard]] inline QString tr(const char* words, const char* meaning = nullptr) {
    return QCoreApplication::translate("lockstep::ui", words, meaning);
}

/// Some words as a list.
[[nodiscard]] inline QString listed(const QStringList& words) {
    return words.join(tr(", "));
}

}  // namespace lockstep::ui
