// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/process_state.h"

namespace lockstep::distribution {

ProcessState& ProcessState::instance() {
    static ProcessState state;
    return state;
}

/// Of a program that ends without shutdown(), by std::exit() or from main(): what still holds the
/// group then does not let go of it.
ProcessState::~ProcessState() {
    if (const auto last = group()) last->awaitOthersTold();
}

std::shared_ptr<ProcessGroup> ProcessState::group() const {
    Lock lock(mutex_);
    return group_;
}

void ProcessState::setGroup(std::shared_ptr<ProcessGroup> group) {
    std::shared_ptr<ProcessGroup> former;  // its threads are joined without the lock
    Lock lock(mutex_);
    former = std::exchange(group_, std::move(group));
    if (!group_) devicesUsed_ = false;
}

std::shared_ptr<const Distribution> ProcessState::distribution() const {
    Lock lock(mutex_);
    return distribution_;
}

void ProcessState::setDistribution(std::shared_ptr<const Distribution> distribution) {
    Lock lock(mutex_);
    distribution_ = std::move(distribution);
}

const tensor::GpuSupport& ProcessState::gpuSupport() {
    std::call_once(gpusFound_, [this] { gpuSupport_ = tensor::findGpuSupport(); });
    return gpuSupport_;
}

int ProcessState::cpuDevices() const {
    Lock lock(mutex_);
    return cpuDevices_;
}

void ProcessState::setCpuDevices(int count) {
    Lock lock(mutex_);
    cpuDevices_ = count;
}

bool ProcessState::devicesUsed() const {
    Lock lock(mutex_);
    return devicesUsed_;
}

void ProcessState::noteDevicesUsed() {
    Lock lock(mutex_);
    devicesUsed_ = true;
}

}  // namespace lockstep::distribution
