// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include "core/base/mutex.h"
#include "core/distribution/distribution.h"
#include "core/distribution/process_group.h"
#include "core/tensor/gpu_support.h"

namespace lockstep::distribution {

/// What the functions of this folder keep for the whole process, as those that they are modelled
/// on do: the one group, the one distribution. The only singleton of core. Thread-safe.
class ProcessState {
public:
    [[nodiscard]] static ProcessState& instance();

    [[nodiscard]] std::shared_ptr<ProcessGroup> group() const;
    void setGroup(std::shared_ptr<ProcessGroup> group);
    [[nodiscard]] std::shared_ptr<const Distribution> distribution() const;
    void setDistribution(std::shared_ptr<const Distribution> distribution);

    /// What this machine's GPUs are, looked for at the first call.
    [[nodiscard]] const tensor::GpuSupport& gpuSupport();
    [[nodiscard]] int cpuDevices() const;
    void setCpuDevices(int count);
    [[nodiscard]] bool devicesUsed() const;
    void noteDevicesUsed();

private:
    ProcessState() = default;
    ~ProcessState();

    mutable Mutex mutex_;
    std::shared_ptr<ProcessGroup> group_ LS_GUARDED_BY(mutex_);
    std::shared_ptr<const Distribution> distribution_ LS_GUARDED_BY(mutex_);
    std::once_flag gpusFound_;
    tensor::GpuSupport gpuSupport_;  ///< Never changes once it was found.
    int cpuDevices_ LS_GUARDED_BY(mutex_) = 1;
    bool devicesUsed_ LS_GUARDED_BY(mutex_) = false;
};

}  // namespace lockstep::distribution
