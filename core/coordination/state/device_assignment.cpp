// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/device_assignment.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

namespace lockstep::coordination {

namespace {

bool isGpu(const wire::Device& device) {
    return device.type() == "gpu";
}

std::vector<const wire::Device*> gpusOf(const wire::Register& process) {
    std::vector<const wire::Device*> gpus;
    for (const wire::Device& device : process.devices())
        if (isGpu(device)) gpus.push_back(&device);
    return gpus;
}

bool isChosen(const wire::Register& process) {
    return process.gpu_claim() == wire::GPU_CLAIM_CHOSEN ||
           process.gpu_claim() == wire::GPU_CLAIM_ALL_CHOSEN;
}

bool trainsReplicas(const wire::Register& process) {
    return process.gpu_claim() == wire::GPU_CLAIM_REPLICAS ||
           process.gpu_claim() == wire::GPU_CLAIM_CHOSEN;
}

class Assignment {
public:
    explicit Assignment(const std::vector<const wire::Register*>& processes)
        : processes_(processes), used_(processes.size()) {}

    std::vector<UsedDevices> make() {
        const bool onGpus = std::ranges::all_of(processes_, [](const wire::Register* process) {
            return !trainsReplicas(*process) || !gpusOf(*process).empty();
        });
        if (onGpus) {
            takeChosen();
            takeOthers();
        }
        addCpus();
        return std::move(used_);
    }

private:
    void take(std::size_t process, const wire::Device& gpu) {
        ++users_[gpu.uuid()];
        used_[process].push_back(gpu);
    }

    void takeChosen() {
        for (std::size_t i = 0; i < processes_.size(); ++i) {
            const auto gpus = gpusOf(*processes_[i]);
            if (!isChosen(*processes_[i]) || gpus.empty()) continue;
            const bool all = processes_[i]->gpu_claim() == wire::GPU_CLAIM_ALL_CHOSEN;
            const std::size_t count = all ? gpus.size() : processes_[i]->replicas();
            for (std::size_t place = 0; place < count; ++place)
                take(i, *gpus[place % gpus.size()]);
        }
    }

    /// Whoever sees few is first: those who see more can give way.
    void takeOthers() {
        std::vector<std::size_t> counts(processes_.size());
        for (std::size_t i = 0; i < processes_.size(); ++i)
            if (!isChosen(*processes_[i])) counts[i] = countOf(i);
        std::vector<std::size_t> order(processes_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(
            order, {}, [&](std::size_t process) { return gpusOf(*processes_[process]).size(); });
        for (const std::size_t i : order)
            for (std::size_t taken = 0; taken < counts[i]; ++taken)
                take(i, leastUsed(*processes_[i]));
    }

    [[nodiscard]] std::size_t countOf(std::size_t process) const {
        const wire::Register& facts = *processes_[process];
        const auto gpus = gpusOf(facts);
        if (gpus.empty()) return 0;
        if (facts.gpu_claim() != wire::GPU_CLAIM_SHARE) return facts.replicas();
        const auto free = static_cast<std::size_t>(std::ranges::count_if(
            gpus, [&](const wire::Device* gpu) { return !users_.contains(gpu->uuid()); }));
        return std::max<std::size_t>(free / sharersOf(process), 1);
    }

    /// How many of those that did not choose see one of this process's GPUs, itself among them.
    [[nodiscard]] std::size_t sharersOf(std::size_t process) const {
        std::set<std::string> own;
        for (const wire::Device* gpu : gpusOf(*processes_[process]))
            own.insert(gpu->uuid());
        return static_cast<std::size_t>(
            std::ranges::count_if(processes_, [&](const wire::Register* other) {
                return !isChosen(*other) &&
                       std::ranges::any_of(gpusOf(*other), [&](const wire::Device* gpu) {
                           return own.contains(gpu->uuid());
                       });
            }));
    }

    [[nodiscard]] const wire::Device& leastUsed(const wire::Register& process) const {
        const auto gpus = gpusOf(process);
        return **std::ranges::min_element(gpus, {}, [&](const wire::Device* gpu) {
            const auto found = users_.find(gpu->uuid());
            return found == users_.end() ? 0 : found->second;
        });
    }

    void addCpus() {
        for (std::size_t i = 0; i < processes_.size(); ++i)
            for (const wire::Device& device : processes_[i]->devices())
                if (!isGpu(device)) used_[i].push_back(device);
    }

    const std::vector<const wire::Register*>& processes_;
    std::vector<UsedDevices> used_;
    std::map<std::string, int> users_;  ///< Of a GPU, by its uuid.
};

}  // namespace

std::vector<UsedDevices> assignDevices(const std::vector<const wire::Register*>& processes) {
    return Assignment(processes).make();
}

const std::string& nameIn(const wire::Member& member, const wire::Device& device) {
    if (isGpu(device)) return device.name();
    for (const wire::Device& first : member.devices())
        if (!isGpu(first)) return first.name();
    return device.name();
}

}  // namespace lockstep::coordination
