// SPDX-License-Identifier: Apache-2.0
// Ports that a host cannot listen at.
#include <fmt/format.h>

#include <algorithm>

#include "core/config/job/cluster_spec.h"
#include "core/launch/doctor/faults/fault_report.h"

namespace lockstep::launch {

namespace {

/// "the coordinator's port 7777 on host1", "port 7001 of process 1 on host2".
std::string nameOf(const PortTest& port, const ExaminedHost& host) {
    if (port.purpose == PortPurpose::Coordinator)
        return port.address.port == 0
                   ? fmt::format("the coordinator's address {} on {}", port.address.host, host.name)
                   : fmt::format("the coordinator's port {} on {}", port.address.port, host.name);
    if (port.purpose == PortPurpose::Process)
        return fmt::format("port {} of process {} on {}", port.address.port, port.process,
                           host.name);
    return fmt::format("the address {} of process {} on {}", port.address.host, port.process,
                       host.name);
}

void findBusy(const ExaminedHost& host, const PortTest& port, Check check, FaultReport& report) {
    const wire::ListenerOpened& opened = *port.opened;
    const std::string holder =
        opened.holder().empty() ? "another program (of another user)" : opened.holder();
    HostFinding& finding =
        report.error(host.name, check, fmt::format("{} is held by {}", nameOf(port, host), holder));
    finding.advice = "End it, or choose another port: with port 0 the system chooses a free one.";
    finding.command =
        opened.holder_pid() > 0
            ? report.on(host.name, fmt::format("kill {}", opened.holder_pid()))
            : report.on(host.name, fmt::format("sudo ss -ltnp 'sport = :{}'", port.address.port));
    if (!report.all().job.cluster.jobAddresses.empty())
        finding.change = report.withAddress(port.process, {port.address.host, 0},
                                            "Let the system choose the port");
}

void findForeignAddress(const ExaminedHost& host, const PortTest& port, Check check,
                        FaultReport& report) {
    HostFinding& finding =
        report.error(host.name, check,
                     fmt::format("{} is not an address of {}, where process {} is to listen at it",
                                 port.address.host, host.name, port.process));
    finding.advice =
        "Write an address of this host in cluster.job_addresses, or its right ssh "
        "destination in launch.hosts.";
    finding.command = report.on(host.name, "ip -brief address");
    if (!host.facts) return;
    const auto& interfaces = host.facts->interfaces();
    const auto own = std::ranges::find_if(interfaces, [](const wire::NetworkInterface& one) {
        return !one.loopback() && one.address().find(':') == std::string::npos;
    });
    if (own != interfaces.end())
        finding.change =
            report.withAddress(port.process, {own->address(), port.address.port},
                               fmt::format("Use {} ({})", own->address(), own->name()));
}

void findForbidden(const ExaminedHost& host, const PortTest& port, Check check,
                   FaultReport& report) {
    HostFinding& finding = report.error(
        host.name, check, fmt::format("{} may only be opened by root", nameOf(port, host)));
    finding.advice = "Choose a port from 1024 on, or 0.";
    finding.change =
        report.withAddress(port.process, {port.address.host, 0}, "Let the system choose the port");
}

void findPortFault(const ExaminedHost& host, const PortTest& port, FaultReport& report) {
    const Check check =
        port.purpose == PortPurpose::Coordinator ? Check::Coordinator : Check::Network;
    switch (port.opened->problem()) {
        case wire::LISTEN_IN_USE:
            return findBusy(host, port, check, report);
        case wire::LISTEN_NOT_OWN_ADDRESS:
            return findForeignAddress(host, port, check, report);
        case wire::LISTEN_FORBIDDEN:
            return findForbidden(host, port, check, report);
        case wire::LISTEN_UNKNOWN_NAME:
            return;  // told with the names
        default: {
            HostFinding& finding =
                report.error(host.name, check,
                             fmt::format("{} cannot be listened at: {}", nameOf(port, host),
                                         port.opened->error()));
            finding.advice = "Choose another address or port in cluster.job_addresses.";
            finding.command = report.on(host.name, "ip -brief address");
        }
    }
}

}  // namespace

void findPortFaults(FaultReport& report) {
    for (const ExaminedHost& host : report.all().hosts) {
        bool foreign = false;  // one address is wrong once, however many ports are tried at it
        for (const PortTest& port : host.ports) {
            if (!port.opened || port.isOpen()) continue;
            const bool again = port.opened->problem() == wire::LISTEN_NOT_OWN_ADDRESS;
            if (!again || !foreign) findPortFault(host, port, report);
            foreign = foreign || again;
        }
    }
}

}  // namespace lockstep::launch
