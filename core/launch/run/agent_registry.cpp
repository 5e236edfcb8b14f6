// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/agent_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/user_folders.h"
#include "core/launch/process/child_process.h"
#include "core/launch/run/run_id.h"

namespace lockstep::launch {

namespace fs = std::filesystem;
using nlohmann::json;

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
    json processes = json::array();
    for (const ProcessEntry& entry : record.processes)
        processes.push_back({{"role", entry.role},
                             {"process_id", entry.processId},
                             {"pid", entry.pid},
                             {"start_time", entry.startTime}});
    const json value{{"run_id", record.runId},       {"run_dir", record.runDir},
                     {"name", record.name},          {"hosts_coordinator", record.hostsCoordinator},
                     {"member_id", record.memberId}, {"processes", processes}};
    return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<AgentRecord> readEntry(const fs::path& file) {
    auto text = readFile(file, kEntryLimit);
    if (!text) return std::nullopt;
    const json value = json::parse(*text, nullptr, false);
    if (!value.is_object()) return std::nullopt;
    try {
        AgentRecord record{value.value("run_id", ""), value.value("run_dir", ""),
                           value.value("name", ""), value.value("hosts_coordinator", false),
                           value.value("member_id", std::uint32_t{0})};
        for (const json& item : value.value("processes", json::array()))
            record.processes.push_back({item.value("role", ""), item.value("process_id", 0),
                                        hostName(), item.value("pid", pid_t{0}),
                                        item.value("start_time", std::uint64_t{0})});
        return record;
    } catch (const json::exception&) {  // a value of another type
        return std::nullopt;
    }
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
    if (!file_.empty()) fs::remove(file_, ignored);
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

}  // namespace lockstep::launch
