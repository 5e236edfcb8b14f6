// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>

#include "ui/style/phrase_book.h"

namespace lockstep::ui {

/// A sentence of core (a cause, a verdict, a finding, a notice) in the language that is spoken, by
/// the phrases in resources/phrases. Core's own stays English, in logs, journals and on the
/// terminal; what no phrase fits is shown as it is. Everything of core that the window shows goes
/// through here. Quick for what was asked before; from any thread.
[[nodiscard]] QString fromCore(const std::string& english);
[[nodiscard]] QString fromCore(const QString& english);

/// All phrases of a language: "de", "zh".
[[nodiscard]] QList<Phrase> corePhrases(const QString& language);

}  // namespace lockstep::ui
