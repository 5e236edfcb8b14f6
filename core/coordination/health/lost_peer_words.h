// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lockstep::coordination {

/// Whether a program's last words say that another one is gone, in the words of the libraries by
/// which programs of the user speak to each other.
[[nodiscard]] bool tellsOfLostPeer(std::string words);

}  // namespace lockstep::coordination
