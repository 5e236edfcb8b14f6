// SPDX-License-Identifier: Apache-2.0
#include "core/job/source/remote_record.h"

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/launch/run/run_id.h"

namespace lockstep::job {

using nlohmann::json;

namespace {
constexpr std::uint64_t kLimit = 64 << 10;
}

std::filesystem::path remoteRecordFile(const std::filesystem::path& runDir) {
    return runDir / "remote.json";
}

Result<void> writeRemoteRecord(const std::filesystem::path& runDir, const RemoteRecord& record) {
    const json value{{"host", record.place.host},      {"run_id", record.place.runId},
                     {"run_dir", record.place.runDir}, {"same_folder", record.place.visible},
                     {"ssh_config", record.sshConfig}, {"lease_seconds", record.leaseSeconds},
                     {"ended", record.ended},          {"former_bytes", record.former}};
    return replaceFileDurably(remoteRecordFile(runDir),
                              value.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

std::optional<RemoteRecord> readRemoteRecord(const std::filesystem::path& runDir) {
    auto text = readFile(remoteRecordFile(runDir), kLimit);
    if (!text) return std::nullopt;
    const json value = json::parse(*text, nullptr, false);
    if (!value.is_object()) return std::nullopt;
    try {
        RemoteRecord record;
        record.place.host = value.value("host", "");
        record.place.runId = value.value("run_id", "");
        record.place.runDir = value.value("run_dir", "");
        record.place.visible = value.value("same_folder", false);
        record.sshConfig = value.value("ssh_config", "");
        record.leaseSeconds = value.value("lease_seconds", 10.0);
        record.ended = value.value("ended", false);
        record.former = value.value("former_bytes", std::uint64_t{0});
        if (record.place.host.empty() || !launch::isRunId(record.place.runId)) return std::nullopt;
        return record;
    } catch (const json::exception&) {  // a value of another type
        return std::nullopt;
    }
}

}  // namespace lockstep::job
