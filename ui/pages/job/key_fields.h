// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/pages/job/job_field.h"

class QVBoxLayout;

namespace lockstep::ui {

/// A key of the job file in a card. What it holds comes from the table of keys.
struct KeyField {
    const char* key;
    const char* name;          ///< Of the editor: "clipnorm" gives "clipnormEdit".
    JobField::Fits fits = {};  ///< Empty: in every job.
    const char* nothing =
        nullptr;  ///< The value that means "not this way": shown as an empty field.
};

void addKeyFields(QVBoxLayout* layout, JobEditor& editor, const std::vector<KeyField>& fields);

/// The value of a key as a field shows it: strings without quotes, numbers of an array without
/// brackets.
[[nodiscard]] QString shownValueOf(const config::JobSpec& spec, const std::string& key);

}  // namespace lockstep::ui
