// SPDX-License-Identifier: Apache-2.0
// lockstepctl devices: what the replicas of a run compute on.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

#include "app/ctl/attached_run.h"
#include "app/ctl/commands.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/error_output.h"
#include "core/base/clock.h"
#include "core/job/fold/session.h"
#include "core/text/json.h"

namespace lockstep::app {

namespace {

/// To a run's coordinator, which may be behind a login with its questions.
constexpr std::chrono::seconds kConnectTimeout{120};
constexpr Millis kInterval{50};
constexpr double kGibibyte = 1024.0 * 1024 * 1024;

using Replicas = std::vector<job::ReplicaView>;

/// What the run's records say, up to their present end.
Result<std::shared_ptr<const job::RunView>> awaitRecords(job::Session& session) {
    const Nanos deadline = SteadyClock::read() + kConnectTimeout;
    for (;;) {
        auto view = session.view();
        session.discardSamples();
        std::ignore = session.takeLogs();
        if (view->caughtUp) return view;
        if (SteadyClock::read() >= deadline)
            return fail(ErrorCode::Unavailable,
                        "the run cannot be reached: " + view->connectionSentence,
                        "summary.json in its folder lists the devices once the run has ended.");
        std::this_thread::sleep_for(kInterval);
    }
}

Replicas trainingReplicas(const job::RunView& view) {
    Replicas replicas;
    for (const job::ReplicaView& replica : view.replicas)
        if (replica.role == job::Role::Worker) replicas.push_back(replica);
    return replicas;
}

/// The device's type, before the colon, with the number that the whole job knows it by.
std::string globalId(const job::ReplicaView& replica) {
    const std::string type = replica.device.substr(0, replica.device.find(':'));
    return type.empty() ? "-" : fmt::format("{}:{}", type, replica.replica);
}

std::string orDash(const std::string& text) {
    return text.empty() ? "-" : text;
}

void printAsJson(const Replicas& replicas) {
    text::Json::List list;
    for (const job::ReplicaView& replica : replicas)
        list.push_back(text::Json::object({{"id", globalId(replica)},
                                           {"process_id", replica.processId},
                                           {"replica", replica.replica},
                                           {"host", replica.host},
                                           {"device", replica.device},
                                           {"name", replica.deviceName},
                                           {"uuid", replica.deviceUuid},
                                           {"memory_bytes", replica.deviceBytes}}));
    std::printf("%s\n", text::Json(std::move(list)).text(2).c_str());
}

void printTable(const Replicas& replicas) {
    std::printf("%-8s  %-7s  %-20s  %-8s  %-10s  %-40s  %s\n", "device", "process", "host", "there",
                "memory", "uuid", "name");
    for (const job::ReplicaView& replica : replicas) {
        const std::string memory =
            replica.deviceBytes == 0
                ? "-"
                : fmt::format("{:.1f} GiB", static_cast<double>(replica.deviceBytes) / kGibibyte);
        std::printf("%-8s  %-7d  %-20s  %-8s  %-10s  %-40s  %s\n", globalId(replica).c_str(),
                    replica.processId, orDash(replica.host).c_str(), orDash(replica.device).c_str(),
                    memory.c_str(), orDash(replica.deviceUuid).c_str(),
                    orDash(replica.deviceName).c_str());
    }
}

int devices(const std::string& name, bool asJson) {
    const auto session = attachToRun(name);
    if (!session) return session.error();
    const auto view = awaitRecords(**session);
    if (!view) return report(view.error());
    const Replicas replicas = trainingReplicas(**view);
    if (replicas.empty())
        return report({ErrorCode::NotFound,
                       (*view)->runDir.string() + ": no process has registered yet",
                       "Ask again once it trains."});
    asJson ? printAsJson(replicas) : printTable(replicas);
    return 0;
}

}  // namespace

Command addDevicesCommand(CommandLine& program) {
    auto name = std::make_shared<std::string>();
    auto asJson = std::make_shared<bool>(false);
    ArgumentList command =
        program.addCommand("devices", "list the devices that a run's replicas compute on");
    command.add("run", *name, "the run's folder, or its id").required();
    command.addFlag("--json", *asJson, "as JSON");
    return [name, asJson] { return devices(*name, *asJson); };
}

}  // namespace lockstep::app
