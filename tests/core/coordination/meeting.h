// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/ids.h"
#include "core/coordination/client/client.h"
#include "core/coordination/monitor/monitor_client.h"
#include "core/coordination/server/coordinator.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "core/wire/socket.h"

namespace lockstep::tests {

using namespace coordination;
using namespace std::chrono_literals;

inline constexpr Nanos kPatience = 10s;  // of everything that should take milliseconds

/// What a client was told.
struct Told {
    std::atomic<int> aborts{0};
    std::atomic<int> stops{0};
    std::atomic<int> culprit{-2};
};

/// A coordinator and the keys of its members, on loopback, in a folder of its own.
class Meeting {
public:
    explicit Meeting(std::uint32_t workers, bool evaluator = false, int port = 0)
        : folder_(std::filesystem::temp_directory_path() / ("ls-" + randomHex(6))),
          serverContext_(*wire::Context::make()),
          clientContext_(*wire::Context::make()),
          serverKeys_(*wire::newKeyPair()) {
        CoordinatorOptions options;
        options.rules.runId = "run-1";
        options.rules.workers = workers;
        options.rules.evaluators = evaluator ? 1 : 0;
        options.rules.heartbeatInterval = 100ms;
        options.rules.heartbeatTimeout = 1s;
        options.rules.exitGrace = 200ms;
        options.rules.followUpGrace = 200ms;
        options.rules.drainTimeout = 2s;
        options.port = port;
        options.keys = serverKeys_;
        std::filesystem::create_directories(folder_);
        options.journal = folder_ / "journal";
        options.monitorSocket = folder_ / "private" / "monitor";
        started = Coordinator::start(serverContext_, options);
    }
    ~Meeting() {
        started = fail(ErrorCode::Cancelled, "over");
        std::filesystem::remove_all(folder_);
    }

    [[nodiscard]] Coordinator& coordinator() { return **started; }

    [[nodiscard]] ClientOptions optionsFor(std::uint32_t id, std::uint32_t generation = 0,
                                           bool allowed = true) {
        ClientOptions options;
        options.endpoint = coordinator().memberEndpoint();
        options.serverPublicKey = serverKeys_.publicKey;
        options.keys = *wire::newKeyPair();
        options.runId = "run-1";
        options.generation = generation;
        options.heartbeatInterval = 100ms;
        options.heartbeatTimeout = 1s;
        options.self.set_process_id(id);
        options.self.set_host("host" + std::to_string(id));
        options.self.set_host_group(id < 2 ? "a" : "b");
        options.self.set_replicas(1);
        options.self.set_device("cpu");
        options.self.set_build("b1");
        if (allowed)
            std::ignore =
                coordinator().allowMember(options.keys.publicKey, "worker-" + std::to_string(id));
        return options;
    }
    [[nodiscard]] std::unique_ptr<Client> client(const ClientOptions& options,
                                                 Told* told = nullptr) {
        ClientCallbacks callbacks;
        callbacks.fillHeartbeat = [](wire::Heartbeat&) {};
        if (told != nullptr) {
            callbacks.onAbort = [told](const std::string&, int culprit) {
                told->culprit = culprit;
                ++told->aborts;
            };
            callbacks.onStop = [told](const std::string&) { ++told->stops; };
        }
        return std::move(*Client::connect(clientContext_, options, callbacks));
    }
    /// Workers 0..count-1, all welcome.
    [[nodiscard]] std::vector<std::unique_ptr<Client>> joined(std::uint32_t count,
                                                              std::vector<Told>& told,
                                                              std::uint32_t generation = 0) {
        std::vector<std::unique_ptr<Client>> clients;
        std::vector<std::jthread> joins;
        std::atomic<int> welcome{0};
        for (std::uint32_t id = 0; id < count; ++id)
            clients.push_back(client(optionsFor(id, generation), &told[id]));
        for (auto& one : clients)
            joins.emplace_back([&welcome, &one] {
                if (one->join(kPatience)) ++welcome;
            });
        joins.clear();
        if (welcome != static_cast<int>(count)) clients.clear();
        return clients;
    }
    [[nodiscard]] std::unique_ptr<MonitorClient> monitor(std::uint64_t credit = 4 << 20) {
        MonitorOptions options;
        options.endpoint = coordinator().monitorEndpoint();
        options.serverPublicKey = serverKeys_.publicKey;
        options.keys = *wire::newKeyPair();
        options.runId = "run-1";
        options.creditBytes = credit;
        std::ignore = coordinator().allowMonitor(options.keys.publicKey);
        return std::move(*MonitorClient::connect(clientContext_, options));
    }
    [[nodiscard]] const wire::Context& clientContext() const { return clientContext_; }
    [[nodiscard]] std::string serverKey() const { return serverKeys_.publicKey; }
    [[nodiscard]] std::filesystem::path journal() const { return folder_ / "journal"; }

private:
    std::filesystem::path folder_;
    wire::Context serverContext_;
    wire::Context clientContext_;
    wire::KeyPair serverKeys_;

public:
    Result<std::unique_ptr<Coordinator>> started = fail(ErrorCode::Internal, "not started");
};

inline wire::Record logRecord(const std::string& text, std::uint32_t process = 0) {
    wire::Record record;
    record.mutable_log()->set_process_id(process);
    record.mutable_log()->set_text(text);
    return record;
}

/// Polls until `enough` of all records so far, or the patience is over.
inline std::vector<wire::Record> follow(
    MonitorClient& monitor, const std::function<bool(const std::vector<wire::Record>&)>& enough) {
    std::vector<wire::Record> records;
    const Nanos deadline = SteadyClock::read() + kPatience;
    while (!enough(records) && SteadyClock::read() < deadline) {
        auto piece = monitor.poll(100ms);
        if (!piece) break;
        if (!*piece) continue;
        telemetry::FrameCursor cursor((*piece)->bytes, (*piece)->offset);
        while (const auto next = cursor.next())
            records.push_back(*wire::decode<wire::Record>(*next));
    }
    return records;
}

inline std::function<bool(const std::vector<wire::Record>&)> holdsLogs(std::size_t count) {
    return [count](const std::vector<wire::Record>& records) {
        return std::ranges::count_if(records, &wire::Record::has_log) >=
               static_cast<std::ptrdiff_t>(count);
    };
}

}  // namespace lockstep::tests
