// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/socket_folder.h"

#include <system_error>

#include "core/base/ids.h"
#include "core/base/runtime_folder.h"
#include "core/base/try.h"
#include "core/launch/ssh/ssh_command.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kIdBytes = 6;
/// Room behind it for the names of sockets.
constexpr std::size_t kLongestFolder = kLongestControlPath - 12;

}  // namespace

Result<SocketFolder> SocketFolder::make() {
    auto path = TRY(makeRuntimeFolder("ssh-" + randomHex(kIdBytes), kLongestFolder));
    return SocketFolder(std::move(path));
}

SocketFolder::~SocketFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

}  // namespace lockstep::launch
