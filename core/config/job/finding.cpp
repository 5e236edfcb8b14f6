// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/finding.h"

namespace lockstep::config {

std::string_view toString(Severity severity) {
    switch (severity) {
        case Severity::Error:
            return "error";
        case Severity::Warning:
            return "warning";
        case Severity::Note:
            break;
    }
    return "note";
}

Error toError(const Finding& finding) {
    Error error{ErrorCode::BadInput, finding.message, finding.remedy};
    return finding.place.empty() ? error : std::move(error).within(finding.place);
}

}  // namespace lockstep::config
