// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/attached_run.h"

#include <cstdio>

#include "app/ctl/launch_consent.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/error_output.h"
#include "core/launch/ssh/terminal_asker.h"

namespace lockstep::app {

tl::expected<std::unique_ptr<job::Session>, int> attachToRun(const std::string& name) {
    const auto folder = findRun(name);
    if (!folder) return tl::unexpected(report(folder.error()));
    auto agreed = consentToAttach(*folder);
    if (!agreed) {
        std::fprintf(stderr, "not attached\n");
        return tl::unexpected(3);
    }
    auto session = job::attach(*folder, {launch::terminalAsker(), std::move(*agreed)});
    if (!session) return tl::unexpected(report(session.error()));
    return std::move(*session);
}

}  // namespace lockstep::app
