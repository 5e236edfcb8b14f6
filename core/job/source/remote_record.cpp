// SPDX-License-Identifier: Apache-2.0
#include "core/job/source/remote_record.h"

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/run/run_id.h"
#include "core/text/json_fields.h"

namespace lockstep::job {

namespace {
constexpr std::uint64_t kLimit = 64 << 10;
}

std::filesystem::path remoteRecordFile(const std::filesystem::path& runDir) {
    return runDir / "remote.json";
}

Result<void> writeRemoteRecord(const std::filesystem::path& runDir, const RemoteRecord& record) {
    const auto value = text::Json::object({{"host", record.place.host},
                                           {"run_id", record.place.runId},
                                           {"run_dir", record.place.runDir},
                                           {"same_folder", record.place.visible},
                                           {"ssh_config", record.sshConfig},
                                           {"lease_seconds", record.leaseSeconds},
                                           {"ended", record.ended},
                                           {"folder_name", record.folderName},
                                           {"former_bytes", record.former}});
    return replaceFileDurably(remoteRecordFile(runDir), value.text(2) + "\n");
}

std::optional<RemoteRecord> readRemoteRecord(const std::filesystem::path& runDir) {
    auto text = readFile(remoteRecordFile(runDir), kLimit);
    if (!text) return std::nullopt;
    const auto value = text::parseJson(*text);
    if (!value) return std::nullopt;
    RemoteRecord record;
    text::JsonFields fields(*value);
    fields.read("host", record.place.host);
    fields.read("run_id", record.place.runId);
    fields.readIfThere("run_dir", record.place.runDir);
    fields.readIfThere("same_folder", record.place.visible);
    fields.readIfThere("ssh_config", record.sshConfig);
    fields.readIfThere("lease_seconds", record.leaseSeconds);
    fields.readIfThere("ended", record.ended);
    fields.readIfThere("folder_name", record.folderName);
    fields.readIfThere("former_bytes", record.former);
    const bool isWhole =
        fields.checked() && !record.place.host.empty() && run::isRunId(record.place.runId);
    return isWhole ? std::optional(record) : std::nullopt;
}

Result<void> checkThatCheckpointsAreHere(const std::filesystem::path& runDir) {
    std::error_code error;
    const auto record = readRemoteRecord(runDir);
    if (!record || std::filesystem::is_directory(runDir / "checkpoints", error)) return {};
    return fail(ErrorCode::NotFound,
                fmt::format("the checkpoints of this run lie on {}, in {}", record->place.host,
                            record->place.runDir),
                "Evaluate, predict and export there with `lockstepctl`, or copy the folder "
                "checkpoints into that of the run here.");
}

}  // namespace lockstep::job
