// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/tensor/gpu_support.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::distribution {

/// Which of its machine's GPUs a process may use, by their local numbers. The strongest that is not
/// empty holds.
struct GpuWish {
    std::vector<int>
        chosen{};  ///< Exactly these, in this order: an argument's, JAX_LOCAL_DEVICE_IDS.
    std::vector<int> allowed{};     ///< The job's, which the processes of a host share.
    std::vector<int> byLauncher{};  ///< The process's place on its host, where there is such a GPU
                                    ///< and one is enough.
};

/// Puts what this process can compute on into its registration: the GPUs of `support`, as far as
/// it may use them, and `cpus` CPU devices, each of which is a thread on all of the machine's
/// processors. `share`: as many GPUs as come to it, else one for each of `self`'s replicas.
/// BadInput: a number that is none of a GPU here.
[[nodiscard]] Result<void> addDevices(const tensor::GpuSupport& support, const GpuWish& wish,
                                      int cpus, bool share, wire::Register& self);

}  // namespace lockstep::distribution
