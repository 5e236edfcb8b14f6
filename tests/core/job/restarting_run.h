// SPDX-License-Identifier: Apache-2.0
// A tied launch over ssh on two scripted hosts, which loses them and begins again.
#pragma once

#include <QTemporaryDir>
#include <algorithm>

#include "core/base/ids.h"
#include "core/config/document/job_file.h"
#include "core/job/source/remote_source.h"
#include "core/launch/host/host_replacement.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/core/config/job_texts.h"
#include "tests/core/job/scripted_host.h"

namespace lockstep::job::test {

inline constexpr std::chrono::seconds kPatience{20};
inline constexpr Millis kLook{10};

inline std::string words(const std::optional<Ending>& ending) {
    return ending ? ending->error : "no ending";
}

struct RestartingRun {
    QTemporaryDir dir;
    std::filesystem::path folder = std::filesystem::path(dir.path().toStdString()) / "runs" / "run";
    run::RunPaths paths{folder};
    ScriptedHosts hosts{dir.path().toStdString()};
    StartPatience patience{Millis(200), Millis(400), Millis(100)};
    bool tied = true;
    bool resume = false;
    std::string resumedHost{};  ///< That had the run, in `resumedDir`.
    std::string resumedDir{};
    int restarts = 2;
    std::vector<std::string> spares{};
    int leastProcesses = 0;
    double spareAfterSeconds = 0.3;
    double leaseSeconds = 0.5;  ///< For so long a scripted host may say nothing.

    RestartingRun() { std::filesystem::create_directories(folder); }

    std::unique_ptr<RemoteSource> launch() {
        launch::RemoteOrder order;
        for (std::uint32_t i = 0; i < 2; ++i)
            order.plan.push_back({"host" + std::to_string(i), "", {i}, false});
        auto job =
            config::JobDocument::parse(config::test::kMinimalJob, "job.toml")->checked().value();
        job.launch.maxRestarts = restarts;
        if (!spares.empty() || leastProcesses > 0) {
            job.launch.method = config::LaunchMethod::Ssh;
            job.cluster.numProcesses = 2;
            job.cluster.jobAddresses = {{"host0", 0}, {"host1", 0}};
            for (launch::HostPlan& plan : order.plan)
                plan.address = plan.host;
            job.launch.spares = spares;
            job.launch.leastProcesses = leastProcesses;
            order.spares = launch::sparesOf(job);
            order.spareAfterSeconds = spareAfterSeconds;
        }
        order.config.set_run_id(randomHex(6));
        order.config.set_run_dir(folder.string());
        order.config.set_job_toml(config::resolvedToml(job));
        order.config.set_resume(resume);
        order.folderName = "run";
        order.resumedHost = resumedHost;
        order.resumedDir = resumedDir;
        order.tied = tied;
        order.leaseSeconds = leaseSeconds;
        return std::make_unique<RemoteSource>(
            RemoteSource::Options{paths, {}, std::move(order), hosts.makeLinks(), "", patience});
    }
    std::vector<wire::ToHost> starts() const { return hosts.heard(wire::ToHost::kStartAgent); }
    /// How often the launcher has asked where its run is; who looks for it asks for no run.
    std::size_t attached() const {
        const auto asked = hosts.heard(wire::ToHost::kAttach);
        return static_cast<std::size_t>(std::ranges::count_if(
            asked, [](const wire::ToHost& message) { return !message.attach().run_id().empty(); }));
    }
    /// Of the newest start.
    config::JobSpec job() const {
        return config::JobDocument::parse(starts().back().start_agent().job_toml(), "job.toml")
            ->spec();
    }
};

/// Whether a host that is looked at sees the run's folder, which the first start has left.
inline void showRun(RestartingRun& place, bool isSeen) {
    const wire::KeyPair keys = wire::newKeyPair().value();
    place.hosts.on(wire::ToHost::kAttach, [&place, keys, isSeen](const wire::ToHost& message) {
        wire::FromHost answer;
        if (message.attach().run_id().empty() && !isSeen)
            return ScriptedHosts::refusal(ErrorCode::NotFound, "there is no run here");
        if (message.attach().run_id().empty()) {
            answer.mutable_attached()->set_run_id(place.starts().front().start_agent().run_id());
            return answer;
        }
        answer.mutable_attached()->set_monitor_endpoint("ipc:///nobody");
        answer.mutable_attached()->set_server_public(keys.publicKey);
        return answer;
    });
}
/// What the run's journal tells.
inline void serveJournal(RestartingRun& place, const std::vector<wire::Record>& records) {
    std::string journal;
    for (const wire::Record& record : records)
        telemetry::appendFrame(wire::encode(record).value(), journal);
    place.hosts.on(wire::ToHost::kReadRunFile, [journal](const wire::ToHost& message) {
        wire::FromHost answer;
        const auto offset = message.read_run_file().offset();
        answer.mutable_run_file();
        if (message.read_run_file().name() == "journal" && offset < journal.size())
            answer.mutable_run_file()->set_bytes(journal.substr(offset));
        return answer;
    });
}
/// A host has a copy of the checkpoint of step 10.
inline wire::Record copyOn(const std::string& host) {
    wire::Record copied;
    copied.mutable_checkpoint_copy()->set_step(10);
    copied.mutable_checkpoint_copy()->set_host(host);
    copied.mutable_checkpoint_copy()->set_path("/copy");
    return copied;
}

template <typename Condition>
bool pull(RemoteSource& source, Condition condition) {
    const Nanos deadline = SteadyClock::read() + kPatience;
    while (SteadyClock::read() < deadline) {
        if (!source.next(kLook)) return false;
        if (condition()) return true;
        if (source.status().exhausted) return false;
    }
    return false;
}
/// Until the start of this number is followed.
inline bool follows(const RestartingRun& place, RemoteSource& source, std::size_t start) {
    return pull(source, [&] {
        return place.attached() == start &&
               source.status().link.sentence == "connecting to the run";
    });
}
/// Until what has begun before has ended.
inline bool isDue(RemoteSource& source) {
    return pull(source, [&] {
        return source.status().link.sentence.find("next start is due") != std::string::npos;
    });
}
inline bool pullToTheEnd(RemoteSource& source) {
    return pull(source, [&] { return source.status().exhausted; });
}

}  // namespace lockstep::job::test
