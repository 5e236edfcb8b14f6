// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetrics>
#include <QString>
#include <string>

#include "core/config/job/finding.h"

namespace lockstep::ui {

/// What the form calls a key of the job file: "Epochs" for training.epochs. Empty: the form does
/// not show it.
[[nodiscard]] QString formLabel(const QString& key);
/// The room that the longest of them takes, in pixels.
[[nodiscard]] int widestFormLabel(const QFontMetrics& metrics);

/// What a key's value counts, as its help says it in English: "samples".
[[nodiscard]] QString unitWords(const std::string& unit);

/// A sentence about the job file with the form's words in the place of the file's keys: "the units
/// of layer 3" for model.layers[2].units, “Epochs” for training.epochs. What is to be written into
/// the file ("training.epochs = 5") stays as it is.
[[nodiscard]] QString inFormWords(const QString& sentence);

/// Message and remedy as sentences: "“Epochs” is 0. Use 1 or more." Without `place`, the key where
/// they are shown, at their beginning.
[[nodiscard]] QString sentenceOf(const config::Finding& finding, const std::string& place = {});

}  // namespace lockstep::ui
