// SPDX-License-Identifier: Apache-2.0
#include "core/run/agent_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/process_start_time.h"
#include "core/base/try.h"
#include "core/base/user_folders.h"
#include "core/run/run_id.h"
#include "core/text/json_fields.h"

namespace lockstep::run {

namespace fs = std::filesystem;
using text::Json;
using text::JsonFields;

namespace {

constexpr std::uint64_t kEntryLimit = 1 << 20;
constexpr int kMostEntries = 4096;

/// A home folder may be on a file system that hosts share: each has a folder of its own.
fs::path registerFolder() {
    const fs::path state = stateFolder();
    return state.empty() ? fs::path() : state / "agents" / hostName();
}

bool isSame(const ProcessEntry& a, const ProcessEntry& b) {
    return a.pid == b.pid && a.startTime == b.startTime && a.role == b.role &&
           a.processId == b.processId;
}

std::string textOf(const AgentRecord& record) {
    Json::List processes;
    for (const ProcessEntry& entry : record.processes)
        processes.push_back(Json::object({{"role", entry.role},
                                          {"process_id", entry.processId},
                                          {"pid", entry.pid},
                                          {"start_time", entry.startTime}}));
    const auto value = Json::object({{"run_id", record.runId},
                                     {"run_dir", record.runDir},
                                     {"name", record.name},
                                     {"hosts_coordinator", record.hostsCoordinator},
                                     {"member_id", record.memberId},
                                     {"processes", std::move(processes)}});
    return value.text(2) + "\n";
}

Result<AgentRecord> readEntry(const fs::path& file) {
    const std::string text = TRY(readFile(file, kEntryLimit));
    const Json value = TRY(text::parseJson(text));
    AgentRecord record;
    Json processes;
    JsonFields fields(value);
    fields.readIfThere("run_id", record.runId);
    fields.readIfThere("run_dir", record.runDir);
    fields.readIfThere("name", record.name);
    fields.readIfThere("hosts_coordinator", record.hostsCoordinator);
    fields.readIfThere("member_id", record.memberId);
    fields.readIfThere("processes", processes);
    TRY(fields.checked());
    for (const Json& item : processes.items()) {
        ProcessEntry& entry = record.processes.emplace_back();
        entry.host = hostName();
        JsonFields entryFields(item);
        entryFields.readIfThere("role", entry.role);
        entryFields.readIfThere("process_id", entry.processId);
        entryFields.readIfThere("pid", entry.pid);
        entryFields.readIfThere("start_time", entry.startTime);
        TRY(entryFields.checked());
    }
    return record;
}

}  // namespace

AgentRegistration::AgentRegistration(AgentRecord record) : record_(std::move(record)) {
    const fs::path folder = registerFolder();
    if (folder.empty() || !isRunId(record_.runId)) return;
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    file_ = folder / fmt::format("{}-{}{}.json", record_.runId,
                                 record_.hostsCoordinator ? "home" : "", record_.memberId);
}

AgentRegistration::AgentRegistration(AgentRegistration&& other) noexcept
    : record_(std::move(other.record_)), file_(std::exchange(other.file_, {})) {}

AgentRegistration::~AgentRegistration() {
    std::error_code ignored;
    // One that has written nothing may bear the name of another that lives.
    if (!file_.empty() && !record_.processes.empty()) fs::remove(file_, ignored);
}

void AgentRegistration::update(const std::vector<ProcessEntry>& processes) {
    if (file_.empty() || std::ranges::equal(processes, record_.processes, isSame)) return;
    record_.processes = processes;
    std::ignore = replaceFileDurably(file_, textOf(record_), 0600);
}

std::vector<AgentRecord> registeredAgents() {
    std::vector<AgentRecord> agents;
    std::error_code error;
    int count = 0;
    for (fs::directory_iterator next(registerFolder(), error), end;
         !error && next != end && count < kMostEntries; next.increment(error), ++count) {
        if (next->path().extension() != ".json") continue;  // one that is being written
        auto record = readEntry(next->path());
        if (!record) continue;
        std::erase_if(record->processes, [](const ProcessEntry& entry) {
            return entry.pid <= 0 || processStartTime(entry.pid) != entry.startTime;
        });
        std::error_code ignored;
        if (record->processes.empty())
            fs::remove(next->path(), ignored);
        else
            agents.push_back(std::move(*record));
    }
    return agents;
}

}  // namespace lockstep::run
