// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/config/keys/key_help.h"

namespace lockstep::config {

/// What a key takes, in words: "whole number from 1 to 1024 (processes)", "one of cpu, gpu".
[[nodiscard]] std::string valueText(const KeyHelp& help);

/// The keys with what they take, their defaults and their help, for a terminal: two lines each.
[[nodiscard]] std::string keyReferenceText(const std::vector<KeyHelp>& keys);

/// The same as a page of Markdown, a table for each section.
[[nodiscard]] std::string keyReferencePage(const std::vector<KeyHelp>& keys);

}  // namespace lockstep::config
