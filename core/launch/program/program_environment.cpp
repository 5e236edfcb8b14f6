// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/program_environment.h"

#include <ifaddrs.h>
#include <netdb.h>

#include <algorithm>
#include <array>

#include "core/config/cluster_spec.h"
#include "core/config/dialect_variables.h"
#include "core/launch/child_process.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

using Variables = Environment::Variables;

void setAll(Variables& variables, const config::Variables& news) {
    for (const auto& [name, value] : news)
        variables[name] = value;
}

/// JAX takes the coordinator's address from the environment, and where it knows them the others.
config::Variables jaxVariables(const config::ClusterSpec& cluster, std::uint32_t processId) {
    return {{"JAX_COORDINATOR_ADDRESS", config::toString(cluster.jobAddresses.front())},
            {"JAX_NUM_PROCESSES", std::to_string(cluster.numProcesses)},
            {"JAX_PROCESS_ID", std::to_string(processId)}};
}

config::Variables ownVariables(const config::ClusterSpec& cluster, const ProgramPlace& place) {
    const auto& hosts = place.hosts;
    const auto here = hosts.begin() + static_cast<std::ptrdiff_t>(place.processId);
    config::Variables variables = {
        {"LOCKSTEP_JOB_ADDRESSES", config::toString(cluster.jobAddresses)},
        {"LOCKSTEP_NUM_PROCESSES", std::to_string(cluster.numProcesses)},
        {"LOCKSTEP_PROCESS_ID", std::to_string(place.processId)},
        {"LOCKSTEP_LOCAL_PROCESS_ID", std::to_string(std::count(hosts.begin(), here, *here))},
        {"LOCKSTEP_RUN_ID", place.runId},
        {"LOCKSTEP_RUN_DIR", place.runDir},
        {"LOCKSTEP_RESTART_COUNT", std::to_string(place.generation)}};
    if (!place.reportEndpoint.empty())
        variables.emplace_back("LOCKSTEP_REPORT_ENDPOINT", place.reportEndpoint);
    return variables;
}

/// Where libraries would guess an interface by the host's name, which often leads to loopback.
void nameInterface(Variables& variables, const std::string& interface) {
    if (interface.empty()) return;
    for (const char* name : {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"})
        variables.try_emplace(name, interface);
}

/// gRPC (JAX, TensorFlow) would ask a proxy for the way to the job's own hosts.
void passProxiesBy(Variables& variables, const config::ClusterSpec& cluster) {
    constexpr std::array kProxies = {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY",
                                     "all_proxy",  "ALL_PROXY",   "grpc_proxy"};
    if (std::ranges::none_of(kProxies, [&](const char* name) { return variables.contains(name); }))
        return;
    for (const char* name : {"no_proxy", "NO_PROXY"})
        for (const config::Address& address : cluster.jobAddresses) {
            std::string& hosts = variables[name];
            hosts += (hosts.empty() ? "" : ",") + address.host;
        }
}

}  // namespace

std::vector<std::string> programEnvironment(const Environment& inherited,
                                            const config::JobSpec& job, const ProgramPlace& place) {
    config::ClusterSpec cluster = job.cluster;
    cluster.jobAddresses = place.addresses;
    const auto id = static_cast<int>(place.processId);
    Variables variables = inherited.all();
    setAll(variables, config::kerasVariables(cluster, id));
    setAll(variables, config::tfConfigVariables(cluster, {.processId = id, .evaluator = false}));
    setAll(variables, config::torchrunVariables(cluster, place.hosts, id));
    setAll(variables, jaxVariables(cluster, place.processId));
    setAll(variables, ownVariables(cluster, place));
    nameInterface(variables, place.networkInterface);
    passProxiesBy(variables, cluster);
    variables.try_emplace("PYTHONUNBUFFERED", "1");  // its output is read while it runs
    if (!place.pythonFolder.empty()) {
        std::string& path = variables["PYTHONPATH"];
        path += (path.empty() ? "" : ":") + place.pythonFolder.string();
    }
    for (const std::string& setting : job.launch.environment) {
        const std::size_t equals = setting.find('=');
        variables[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    std::vector<std::string> list;
    for (const auto& [name, value] : variables)
        list.push_back(name + "=" + value);
    return list;
}

fs::path pythonModuleFolder() {
    const fs::path programs = programBesideThis("").parent_path();
    for (const fs::path& folder :
         {programs / "../share/lockstep/python", programs / "share/lockstep/python"}) {
        std::error_code error;
        if (fs::is_directory(folder / "lockstep_report", error))
            return fs::canonical(folder, error);
    }
    return {};
}

std::string interfaceOf(const std::string& numericHost) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return {};
    std::string found;
    for (const ifaddrs* one = list; one != nullptr && found.empty(); one = one->ifa_next) {
        if (one->ifa_addr == nullptr) continue;
        const int family = one->ifa_addr->sa_family;
        if (family != AF_INET && family != AF_INET6) continue;
        char text[NI_MAXHOST] = {};
        const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        if (::getnameinfo(one->ifa_addr, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) ==
                0 &&
            numericHost == text)
            found = one->ifa_name;
    }
    ::freeifaddrs(list);
    return found;
}

}  // namespace lockstep::launch
