// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/description/description.h"

namespace lockstep::model {

/// What a description refers to is there: blocks and their parameters, names of inputs. No block
/// contains itself, no name is given twice in one list.
[[nodiscard]] Problems checkReferences(const Description& description);

}  // namespace lockstep::model
