// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/config/job/finding.h"
#include "core/config/job/job_spec.h"
#include "core/config/keys/key_places.h"
#include "core/text/toml_tree.h"

namespace lockstep::config {

/// What a job file's tree means, key by key. `place` of the findings is left empty.
struct SpecReading {
    JobSpec spec;
    KeyPlaces places;
    std::vector<Finding> findings;
};

/// Reads every key that the table knows; what it does not know, and what does not fit the key's
/// type and range, becomes a finding. Rules between keys are lint's.
[[nodiscard]] SpecReading readSpec(const TomlValue& root);

/// "there is no key \"trainig.epochs\", did you mean training.epochs?", for a section, a key within
/// one, or a key without its section.
[[nodiscard]] std::string unknownKeySentence(std::string_view key);

/// What to do about an unknown key: the names there are.
[[nodiscard]] std::string unknownKeyRemedy(std::string_view key);

}  // namespace lockstep::config
