// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// The keys of the job file whose values tell these runs apart, in the file's order. What only
/// names or places a run is none of them.
[[nodiscard]] QStringList differingKeys(const std::vector<const job::RunEntry*>& runs);
/// All keys that any of them has, likewise.
[[nodiscard]] QStringList allKeys(const std::vector<const job::RunEntry*>& runs);

/// What the job of a run says, as it is read: without quotes, of addresses how many there are.
/// Empty: nothing.
[[nodiscard]] QString settingText(const job::RunSetting& setting);
[[nodiscard]] QString settingText(const job::RunEntry& run, const QString& key);
/// As a cell has room for it: of layers their kinds and sizes, "dense 256 · dense 10".
[[nodiscard]] QString settingWords(const job::RunEntry& run, const QString& key);
/// What the form calls the key, else the key without its section: "Learning rate", "momentum".
[[nodiscard]] QString settingLabel(const QString& key);

}  // namespace lockstep::ui
