// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lockstep::collective {

/// What a result code of NCCL means, and what to do about it.
struct NcclWords {
    std::string meaning;  ///< "another process ended or lost its connection"
    std::string remedy;
    bool remote = false;  ///< The cause lies with another process.
};

/// `code` is an ncclResult_t.
[[nodiscard]] NcclWords ncclWords(int code);

}  // namespace lockstep::collective
