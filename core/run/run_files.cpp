// SPDX-License-Identifier: Apache-2.0
#include "core/run/run_files.h"

#include <unistd.h>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/process_start_time.h"
#include "core/base/try.h"
#include "core/text/json_fields.h"

namespace lockstep::run {

namespace fs = std::filesystem;
using text::Json;
using text::JsonFields;

namespace {

constexpr std::uint64_t kSmallFileLimit = 1 << 20;

tl::unexpected<Error> notOurs(const fs::path& path) {
    return fail(ErrorCode::Corrupt, path.string() + " is not what a run writes");
}

Result<Json> readJson(const fs::path& path) {
    const std::string text = TRY(readFile(path, kSmallFileLimit));
    auto value = text::parseJson(text);
    if (!value) return notOurs(path);
    return value;
}

}  // namespace

Result<void> writeContact(const RunPaths& paths, const Contact& contact) {
    const auto value = Json::object({{"run_id", contact.runId},
                                     {"endpoint", contact.endpoint},
                                     {"key_file", contact.keyFile.string()},
                                     {"journal_start", contact.journalStart}});
    return replaceFileDurably(paths.contact(), value.text(2) + "\n");
}

Result<Contact> readContact(const RunPaths& paths) {
    const Json value = TRY(readJson(paths.contact()));
    Contact contact;
    std::string keyFile;
    JsonFields fields(value);
    fields.readIfThere("run_id", contact.runId);
    fields.readIfThere("endpoint", contact.endpoint);
    fields.readIfThere("key_file", keyFile);
    fields.readIfThere("journal_start", contact.journalStart);
    if (!fields.checked()) return notOurs(paths.contact());
    contact.keyFile = keyFile;
    return contact;
}

void removeContact(const RunPaths& paths) {
    std::error_code ignored;
    fs::remove(paths.contact(), ignored);
}

ProcessEntry entryOfThisProcess(const std::string& role) {
    const pid_t self = ::getpid();
    return {role, 0, hostName(), self, processStartTime(self).value_or(0)};
}

Result<void> writeProcesses(const RunPaths& paths, const std::vector<ProcessEntry>& processes) {
    Json::List list;
    for (const ProcessEntry& entry : processes)
        list.push_back(Json::object({{"role", entry.role},
                                     {"process_id", entry.processId},
                                     {"host", entry.host},
                                     {"pid", entry.pid},
                                     {"start_time", entry.startTime}}));
    return replaceFileDurably(paths.processes(), Json(std::move(list)).text(2) + "\n");
}

Result<std::vector<ProcessEntry>> readProcesses(const RunPaths& paths) {
    const Json value = TRY(readJson(paths.processes()));
    if (!value.isList()) return notOurs(paths.processes());
    std::vector<ProcessEntry> processes;
    for (const Json& item : value.items()) {
        ProcessEntry& entry = processes.emplace_back();
        JsonFields fields(item);
        fields.readIfThere("role", entry.role);
        fields.readIfThere("process_id", entry.processId);
        fields.readIfThere("host", entry.host);
        fields.readIfThere("pid", entry.pid);
        fields.readIfThere("start_time", entry.startTime);
        if (!fields.checked()) return notOurs(paths.processes());
    }
    return processes;
}

}  // namespace lockstep::run
