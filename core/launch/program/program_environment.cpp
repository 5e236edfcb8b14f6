// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/program_environment.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>

#include <algorithm>
#include <array>

#include "core/config/dialects/dialect_variables.h"
#include "core/config/job/cluster_spec.h"
#include "core/launch/process/child_process.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

using Variables = Environment::Variables;

void setAll(Variables& variables, const config::Variables& news) {
    for (const auto& [name, value] : news)
        variables[name] = value;
}

/// How many processes of this host come before this one, and how many there are.
struct LocalPlace {
    std::ptrdiff_t id = 0;
    std::ptrdiff_t count = 1;
};

LocalPlace localPlaceOf(const ProgramPlace& place) {
    const auto& hosts = place.hosts;
    const auto here = hosts.begin() + static_cast<std::ptrdiff_t>(place.processId);
    return {std::count(hosts.begin(), here, *here), std::count(hosts.begin(), hosts.end(), *here)};
}

/// Whether mpirun has started this very process, so that its variables are true.
bool isMpiProcess(const Environment& inherited, const config::ClusterSpec& cluster,
                  const ProgramPlace& place) {
    return inherited.get("OMPI_COMM_WORLD_SIZE") == std::to_string(cluster.numProcesses) &&
           inherited.get("OMPI_COMM_WORLD_RANK") == std::to_string(place.processId);
}

/// What Open MPI tells its processes, as far as JAX's detection reads it.
config::Variables mpiVariables(const config::ClusterSpec& cluster, const ProgramPlace& place) {
    const LocalPlace local = localPlaceOf(place);
    const config::Address& first = cluster.jobAddresses.front();
    const char* scheme = first.host.find(':') != std::string::npos ? "tcp6" : "tcp";
    return {{"OMPI_MCA_orte_hnp_uri", fmt::format("0.0;{}://{}", scheme, config::toString(first))},
            {"OMPI_COMM_WORLD_SIZE", std::to_string(cluster.numProcesses)},
            {"OMPI_COMM_WORLD_RANK", std::to_string(place.processId)},
            {"OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(local.id)},
            {"OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(local.count)}};
}

/// Under a launcher JAX gives each process of a host one GPU, the one of its number. A process that
/// is alone on its host keeps all.
void keepAllGpus(Variables& variables, const ProgramPlace& place) {
    std::ptrdiff_t gpus = place.gpus;
    if (const auto chosen = variables.find("CUDA_VISIBLE_DEVICES"); chosen != variables.end())
        gpus = chosen->second.empty() ? 0 : std::ranges::count(chosen->second, ',') + 1;
    if (gpus < 2 || localPlaceOf(place).count > 1) return;
    std::string ids;
    for (std::ptrdiff_t gpu = 0; gpu < gpus; ++gpu)
        ids += (ids.empty() ? "" : ",") + std::to_string(gpu);
    variables.try_emplace("JAX_LOCAL_DEVICE_IDS", ids);
}

config::Variables ownVariables(const config::ClusterSpec& cluster, const ProgramPlace& place) {
    config::Variables variables = {
        {"LOCKSTEP_JOB_ADDRESSES", config::toString(cluster.jobAddresses)},
        {"LOCKSTEP_NUM_PROCESSES", std::to_string(cluster.numProcesses)},
        {"LOCKSTEP_PROCESS_ID", std::to_string(place.processId)},
        {"LOCKSTEP_LOCAL_PROCESS_ID", std::to_string(localPlaceOf(place).id)},
        {"LOCKSTEP_RUN_ID", place.runId},
        {"LOCKSTEP_RUN_DIR", place.runDir},
        {"LOCKSTEP_RESTART_COUNT", std::to_string(place.restarts)}};
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
    variables["JAX_COORDINATOR_ADDRESS"] = config::toString(cluster.jobAddresses.front());
    if (!isMpiProcess(inherited, cluster, place)) setAll(variables, mpiVariables(cluster, place));
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
    keepAllGpus(variables, place);
    std::vector<std::string> list;
    for (const auto& [name, value] : variables)
        list.push_back(fmt::format("{}={}", name, value));
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

int gpusOfThisHost() {
    int count = 0;
    std::error_code error;
    for (fs::directory_iterator next("/dev", error); !error && next != fs::directory_iterator();
         next.increment(error)) {
        const std::string name = next->path().filename().string();
        constexpr std::string_view kPrefix = "nvidia";
        const std::string_view number =
            std::string_view(name).substr(std::min(name.size(), kPrefix.size()));
        if (name.starts_with(kPrefix) && !number.empty() &&
            number.find_first_not_of("0123456789") == std::string_view::npos)
            ++count;
    }
    return count;
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
