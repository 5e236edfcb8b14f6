// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/membership.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/coordination/state/device_assignment.h"

namespace lockstep::coordination {

namespace {

constexpr std::uint32_t kMaxLocalReplicas = 1024;
constexpr std::size_t kMaxText = 512;
constexpr int kMaxDevices = 2048;  ///< Of both types.

/// Every text of a registration is shown or journalled: none may be of any length.
bool hasModestTexts(const wire::Register& facts) {
    for (const std::string* text : {&facts.host(), &facts.host_group(), &facts.device(),
                                    &facts.address(), &facts.build(), &facts.without_gpus()})
        if (text->size() > kMaxText) return false;
    for (const wire::Device& device : facts.devices())
        if (device.type().size() + device.uuid().size() + device.name().size() > kMaxText)
            return false;
    return true;
}

}  // namespace

Result<void> Membership::checkFacts(const ProcessKey& key, const wire::Register& facts) {
    const std::string name = nameOf(key, facts.host());
    if (!hasModestTexts(facts))
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} registered with a text of more than {} bytes", name, kMaxText));
    if (key.role == wire::ROLE_AGENT) return {};
    if (key.role == wire::ROLE_EVALUATOR && expected_.evaluators == 0)
        return fail(ErrorCode::Unavailable,
                    "this job has no evaluator (cluster.evaluator = false)");
    if (key.role == wire::ROLE_EVALUATOR && key.id >= expected_.evaluators)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} is not of this job: it has {}, numbered from 0", name,
                                counted(expected_.evaluators, "evaluator")));
    if (key.role == wire::ROLE_WORKER && key.id >= expected_.workers)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} is not of this job: it has {}, numbered from 0", name,
                                counted(expected_.workers, "process")));
    if (key.role == wire::ROLE_WORKER &&
        (facts.replicas() < 1 || facts.replicas() > kMaxLocalReplicas))
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} registered with {}; 1 to {} are possible", name,
                                counted(facts.replicas(), "replica"), kMaxLocalReplicas));
    if (facts.devices_size() > kMaxDevices)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} registered {}; at most {} are possible", name,
                                counted(facts.devices_size(), "device"), kMaxDevices));
    if (build_.empty()) build_ = facts.build();
    if (facts.build() != build_)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} runs build '{}', the others of the job run '{}': install the "
                                "same version on every host",
                                name, facts.build(), build_));
    return {};
}

Result<Membership::Admission> Membership::admit(const wire::Register& facts,
                                                std::uint64_t incarnation,
                                                const std::string& connection) {
    const ProcessKey key{facts.role(), facts.process_id()};
    const std::string name = nameOf(key, facts.host());
    if (incarnation == 0)
        return fail(ErrorCode::Unavailable, fmt::format("{} registered without incarnation", name));
    if (isFenced(key, incarnation))
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} was declared lost and must not come back in this life", name));
    if (Member* member = find(key)) {
        if (member->incarnation == incarnation && member->state == MemberState::Present) {
            member->connection = connection;
            return Admission::Again;
        }
        const bool replaceable =
            key.role != wire::ROLE_WORKER && member->state != MemberState::Present;
        if (!replaceable)
            return fail(ErrorCode::Unavailable,
                        fmt::format("{} is registered already, as process {} of {}: a second one "
                                    "with the same id is refused",
                                    nameOf(key), member->facts.pid(), member->facts.host()));
    }
    if (auto checked = checkFacts(key, facts); !checked) return fail(std::move(checked.error()));
    members_[key] =
        Member{.key = key, .incarnation = incarnation, .connection = connection, .facts = facts};
    return Admission::New;
}

Member* Membership::find(const ProcessKey& key) {
    const auto found = members_.find(key);
    return found == members_.end() ? nullptr : &found->second;
}

const Member* Membership::find(const ProcessKey& key) const {
    const auto found = members_.find(key);
    return found == members_.end() ? nullptr : &found->second;
}

bool Membership::isFenced(const ProcessKey& key, std::uint64_t incarnation) const {
    return fenced_.contains({key, incarnation});
}

void Membership::markLeft(const ProcessKey& key) {
    if (Member* member = find(key)) member->state = MemberState::Left;
}

void Membership::fence(const ProcessKey& key) {
    Member* member = find(key);
    if (member == nullptr) return;
    member->state = MemberState::Gone;
    fenced_.insert({key, member->incarnation});
}

void Membership::forgetConnection(const std::string& connection) {
    for (auto& [key, member] : members_)
        if (member.connection == connection) member.connection.clear();
}

std::vector<int> Membership::missingWorkers() const {
    std::vector<int> missing;
    for (std::uint32_t id = 0; id < expected_.workers; ++id)
        if (find({wire::ROLE_WORKER, id}) == nullptr) missing.push_back(static_cast<int>(id));
    return missing;
}

std::vector<const Member*> Membership::present(wire::Role role) const {
    std::vector<const Member*> present;
    for (const auto& [key, member] : members_)
        if (key.role == role && member.state == MemberState::Present) present.push_back(&member);
    return present;
}

wire::Welcome Membership::assignReplicas() {
    wire::Welcome welcome;
    std::map<std::string, std::uint32_t> hosts;
    std::uint32_t replica = 0;
    bool told = false;  // why one of them has no GPU: nobody asks for a second one's reason
    for (auto& [key, member] : members_) {  // the map is in order of role, then process id
        if (key.role != wire::ROLE_WORKER) continue;
        member.firstReplica = replica;
        replica += member.facts.replicas();
        const std::string group = member.facts.host_group().empty()
                                      ? fmt::format("process {}", key.id)  // shares with nobody
                                      : "group " + member.facts.host_group();
        const auto host = hosts.try_emplace(group, static_cast<std::uint32_t>(hosts.size())).first;
        wire::Member* entry = welcome.add_members();
        entry->set_process_id(key.id);
        entry->set_host_index(host->second);
        entry->set_replicas(member.facts.replicas());
        entry->set_host(member.facts.host());
        entry->set_address(member.facts.address());
        if (!told) entry->set_without_gpus(member.facts.without_gpus());
        told = told || !member.facts.without_gpus().empty();
    }
    giveDevices(welcome);
    return welcome;
}

void Membership::giveDevices(wire::Welcome& welcome) {
    std::vector<const wire::Register*> workers;
    for (const auto& [key, member] : members_)
        if (key.role == wire::ROLE_WORKER) workers.push_back(&member.facts);
    const std::vector<UsedDevices> used = assignDevices(workers);
    for (int i = 0; i < welcome.members_size(); ++i) {
        bool named = false;
        for (const wire::Device& device : used[static_cast<std::size_t>(i)]) {
            wire::Device& entry = *welcome.mutable_members(i)->add_devices();
            entry = device;
            if (device.type() == "gpu") continue;
            if (named) entry.clear_name();  // see nameIn()
            named = true;
        }
    }
}

std::uint32_t Membership::replicaCount() const {
    std::uint32_t count = 0;
    for (const auto& [key, member] : members_)
        if (key.role == wire::ROLE_WORKER) count += member.facts.replicas();
    return count;
}

const Member* Membership::holderOf(std::uint32_t replica) const {
    const auto found = std::ranges::find_if(
        members_, [&](const auto& entry) { return entry.second.holds(replica); });
    return found == members_.end() ? nullptr : &found->second;
}

void Membership::reset() {
    build_ = expected_.build;
    std::erase_if(members_, [](const auto& entry) { return entry.first.role != wire::ROLE_AGENT; });
}

}  // namespace lockstep::coordination
