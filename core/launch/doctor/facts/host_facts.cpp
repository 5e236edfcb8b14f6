// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/facts/host_facts.h"

#include "core/base/thread.h"

namespace lockstep::launch {

namespace {

/// The launcher's run folder where this host sees it, else that of its own.
wire::FolderFacts examineRunFolder(const wire::Examine& what) {
    std::error_code error;
    const bool shared =
        !what.token_file().empty() && std::filesystem::exists(what.token_file(), error);
    const bool own = shared || what.private_folder().empty();
    wire::FolderFacts facts = examineFolder(own ? what.run_folder() : what.private_folder());
    facts.set_shared(shared);
    return facts;
}

}  // namespace

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
        *facts.mutable_run_folder() = examineRunFolder(what);
        *facts.mutable_data() = examineData(what);
    }
    facts.MergeFrom(network);
    facts.MergeFrom(work);
    return facts;
}

}  // namespace lockstep::launch
