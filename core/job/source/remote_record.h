// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/launch/host/remote_launch.h"

namespace lockstep::job {

/// remote.json in the launcher's run folder: where the run is served, so that whoever comes back
/// finds it.
struct RemoteRecord {
    launch::RemotePlace place;
    std::string sshConfig;  ///< launch.ssh_config.
    double leaseSeconds = 10;
    bool ended = false;        ///< The folder holds all there is.
    std::string folderName{};  ///< RemoteOrder::folderName, of all starts.
    std::uint64_t former = 0;  ///< Bytes of the journal that are of the run before its resume.

    /// Here lies what was followed of the run; its checkpoints lie on its own host.
    [[nodiscard]] bool isCopy() const { return !place.visible; }
};

[[nodiscard]] std::filesystem::path remoteRecordFile(const std::filesystem::path& runDir);
[[nodiscard]] Result<void> writeRemoteRecord(const std::filesystem::path& runDir,
                                             const RemoteRecord& record);
/// Nullopt when the folder's run is one of this machine, or the file is not what a run writes.
[[nodiscard]] std::optional<RemoteRecord> readRemoteRecord(const std::filesystem::path& runDir);

/// NotFound, for who looks in a run's folder here for checkpoints that lie on its own host alone.
[[nodiscard]] Result<void> checkThatCheckpointsAreHere(const std::filesystem::path& runDir);

}  // namespace lockstep::job
