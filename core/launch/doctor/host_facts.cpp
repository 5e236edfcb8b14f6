// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/host_facts.h"

#include "core/base/thread.h"

namespace lockstep::launch {

wire::HostFacts examineHost(const wire::Examine& what, const std::filesystem::path& worker) {
    wire::HostFacts facts;
    // Names and the worker are waited for; meanwhile the files are read. Each thread has facts of
    // its own: the message is not shared.
    wire::HostFacts network;
    wire::HostFacts work;
    {
        const auto lookups = startThread(
            "doctor-names", [&](const std::stop_token&) { addNetworkFacts(what, network); });
        const auto probe = startThread(
            "doctor-probe", [&](const std::stop_token&) { addWorkerFacts(worker, work); });
        addSystemFacts(facts);
        addLeftovers(facts);
        *facts.mutable_run_folder() = examineFolder(what.run_folder());
        *facts.mutable_data() = examineData(what.dataset(), what.data_directory());
    }
    facts.MergeFrom(network);
    facts.MergeFrom(work);
    return facts;
}

}  // namespace lockstep::launch
