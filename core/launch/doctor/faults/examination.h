// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/data_sources.h"
#include "core/config/job/job_spec.h"
#include "core/wire/messages/doctor.pb.h"

namespace lockstep::launch {

/// What becomes of one host's examination.
enum class HostState : std::uint8_t {
    Waiting,
    Connecting,  ///< ssh, and where it is needed the copying of Lockstep.
    Examining,
    Done,
    Failed,  ///< There is no connection: `linkError` tells why.
};

/// How far a host's clock is ahead of this machine's.
struct ClockOffset {
    double seconds = 0;
    double uncertainty = 0;  ///< Half of the round trip: the true offset is nearer than this.
};

enum class PortPurpose : std::uint8_t {
    Coordinator,  ///< Of process 0.
    Process,      ///< Of another process, where the job names a port.
    Data,         ///< Any port: as gradients travel between hosts.
};

/// A port that is tried on a host.
struct PortTest {
    PortPurpose purpose = PortPurpose::Data;
    int process = 0;
    config::Address address;  ///< As the job writes it.
    std::string token;
    std::optional<wire::ListenerOpened> opened;  ///< Absent: not answered yet.

    [[nodiscard]] bool isOpen() const { return opened && opened->port() != 0; }
};

/// A host of the job with what is known of it so far.
struct ExaminedHost {
    std::string name;            ///< The ssh destination, or this machine's name.
    std::string address;         ///< As the job writes it: of its first process.
    std::vector<int> processes;  ///< Ids; of a spare, those of the fullest host: it may get them.
    bool evaluator = false;
    bool isSpare = false;  ///< It starts nothing until it takes the place of another one.
    HostState state = HostState::Waiting;
    std::string progress;     ///< In words, while it connects.
    bool wasReached = false;  ///< From here on `linkError` may be in the host's words.
    std::optional<Error> linkError;
    std::optional<wire::HostFacts> facts;
    std::optional<ClockOffset> clock;
    std::vector<PortTest> ports;

    [[nodiscard]] bool settled() const;
};

/// A connection between two hosts that was tried.
struct TriedConnection {
    std::size_t from = 0;  ///< Indices of hosts.
    std::size_t to = 0;
    std::size_t port = 0;  ///< Index among the target's ports.
    wire::ConnectionTried result;
};

/// A job's hosts and everything that was found out about them: what findings are made of.
struct Examination {
    config::JobSpec job;
    std::filesystem::path runFolder;            ///< As the hosts will have it.
    std::filesystem::path dataDirectory;        ///< Absolute; empty for data that is generated.
    std::vector<config::NamedFile> dataPlaces;  ///< Absolute files and folders besides it.
    std::string tokenFile;  ///< Tells hosts that see this machine's run folder; may be empty.
    std::string build;      ///< Of this machine's worker: all must have it.
    bool remote = false;    ///< The hosts are reached over ssh.
    std::vector<ExaminedHost> hosts;
    std::vector<TriedConnection> connections;
    bool finished = false;
    double seconds = 0;  ///< Since it began.
};

/// The hosts of a job in order of their first process, its spares behind them; for a job that is
/// launched here (or by a scheduler, whose hosts are not known before) this machine alone.
[[nodiscard]] std::vector<ExaminedHost> plannedHosts(const config::JobSpec& job);

/// Every name of a host that the job writes, each once.
[[nodiscard]] std::vector<std::string> hostNames(const config::JobSpec& job);

}  // namespace lockstep::launch
