// SPDX-License-Identifier: Apache-2.0
// What mpirun of Open MPI, and mpiexec of MPICH and Intel MPI, tell their processes.
#include <fmt/format.h>

#include <optional>

#include "core/base/text.h"
#include "core/config/cluster/launcher_rules.h"
#include "core/config/cluster/launchers.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

constexpr std::string_view kUri = "OMPI_MCA_orte_hnp_uri";
constexpr std::string_view kNamespace = "PMIX_NAMESPACE";
/// Lockstep gives its programs these variables without any mpirun; see program_environment.h.
constexpr std::string_view kNoMpirun = "0.0;";
constexpr std::int64_t kJobFamily = 4096;  // Open MPI counts a start's jobs in the bits below

/// Where mpirun itself listens.
struct Rendezvous {
    std::string host;
    int port = 0;
    std::string startId;
};

/// "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911" or "…;tcp6://[fe80::1]:34911": the job's number
/// and the first address.
std::optional<Rendezvous> fromUri(std::string_view uri) {
    const auto job = wholeNumber(uri.substr(0, uri.find('.')));
    const std::size_t scheme = uri.find(";tcp");
    if (!job || *job < 0 || scheme == std::string_view::npos) return std::nullopt;
    std::string_view rest = uri.substr(scheme + 4);
    const bool ipv6 = rest.starts_with("6://[");
    if (!ipv6 && !rest.starts_with("://")) return std::nullopt;
    rest.remove_prefix(ipv6 ? 5 : 3);
    const std::string host(rest.substr(0, rest.find_first_of(ipv6 ? ",]" : ",:")));
    // Open MPI separates its address from the port with the last colon of this first contact.
    const std::string_view contact = rest.substr(0, rest.find(';'));
    const std::size_t colon = contact.rfind(':');
    const std::string_view listens =
        colon == std::string_view::npos ? std::string_view() : contact.substr(colon + 1);
    const Address address{host, portOf(*job / kJobFamily)};
    if (!parseAddress(toString(address)) || !wholeNumber(listens)) return std::nullopt;
    return Rendezvous{host, address.port, fileNamePart(fmt::format("ompi-{}-{}", *job, listens))};
}

/// Open MPI 5: "prterun-HOST-PID@1" is the start's namespace, named after mpirun's host and pid.
std::optional<Rendezvous> fromNamespace(std::string_view name) {
    const std::size_t at = name.rfind('@');
    const std::string_view start = name.substr(0, at);
    const std::size_t dash = start.rfind('-');
    const std::size_t prefix = start.find('-');
    if (at == std::string_view::npos || prefix == dash) return std::nullopt;
    const auto pid = wholeNumber(start.substr(dash + 1));
    const std::string host(start.substr(prefix + 1, dash - prefix - 1));
    const Address address{host, pid && *pid >= 0 ? portOf(*pid) : 0};
    if (address.port == 0 || !parseAddress(toString(address))) return std::nullopt;
    return Rendezvous{host, address.port, fileNamePart(fmt::format("ompi-{}", name))};
}

void readRendezvous(const Environment& environment, VariableReader& reader, ClusterFacts& facts) {
    const std::string_view variable = environment.has(kUri) ? kUri : kNamespace;
    const auto text = environment.get(variable);
    if (!text || text->starts_with(kNoMpirun)) return;
    const auto found = variable == kUri ? fromUri(*text) : fromNamespace(*text);
    if (!found) {
        if (variable == kUri)
            reader.refuse(kUri, "must begin like 1531576320.0;tcp://10.96.0.1:34911", {});
        return;  // a namespace of another form says nothing of an address
    }
    facts.coordinatorAddress = coordinatorAt(reader, found->host, found->port, variable);
    facts.startId = reader.said(found->startId, variable);
}

/// All processes are on one host when it has as many as there are in all.
bool areAllHere(const Said<int>& here, const Said<int>& all) {
    return here && all && here->value == all->value;
}

}  // namespace

Result<ClusterFacts> readOpenMpiVariables(const Environment& environment) {
    VariableReader reader(environment, OriginKind::Detection,
                          "mpirun sets it: start the program with mpirun, or choose another way "
                          "with the detection method.");
    ClusterFacts facts;
    facts.numProcesses = reader.processCount("OMPI_COMM_WORLD_SIZE");
    facts.processId = reader.processId("OMPI_COMM_WORLD_RANK");
    facts.localProcessId = reader.processId("OMPI_COMM_WORLD_LOCAL_RANK");
    facts.localDeviceIds = deviceOfLocalProcess(environment, facts.localProcessId);
    readRendezvous(environment, reader, facts);
    const auto here = reader.processCount("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (areAllHere(here, facts.numProcesses) && facts.coordinatorAddress)
        facts.hosts = reader.said(std::vector<std::string>(static_cast<std::size_t>(here->value),
                                                           facts.coordinatorAddress->value.host),
                                  "OMPI_COMM_WORLD_LOCAL_SIZE");
    return reader.finish(std::move(facts));
}

/// PMI gives no address: processes of one host meet on its loopback, others must be told one.
Result<ClusterFacts> readPmiVariables(const Environment& environment) {
    constexpr std::string_view kHere = "MPI_LOCALNRANKS";
    constexpr std::string_view kLoopback = "127.0.0.1";
    VariableReader reader(environment, OriginKind::Detection,
                          "mpiexec sets it: start the program with mpiexec, or choose another way "
                          "with the detection method.");
    ClusterFacts facts;
    facts.numProcesses = reader.processCount("PMI_SIZE");
    facts.processId = reader.processId("PMI_RANK");
    facts.localProcessId = reader.processId("MPI_LOCALRANKID");
    facts.localDeviceIds = deviceOfLocalProcess(environment, facts.localProcessId);
    const auto here = reader.processCount(kHere);
    if (areAllHere(here, facts.numProcesses)) {
        // Nor does it number its starts: two on one host need JAX_COORDINATOR_PORT.
        facts.coordinatorAddress = coordinatorAt(reader, std::string(kLoopback), portOf(0), kHere);
        facts.hosts = reader.said(
            std::vector<std::string>(static_cast<std::size_t>(here->value), std::string(kLoopback)),
            kHere);
    }
    return reader.finish(std::move(facts));
}

}  // namespace lockstep::config
