// SPDX-License-Identifier: Apache-2.0
// Single host, several replicas: each takes its share of the global batch, all hold the same
// weights after every step.
#include <iostream>

#include "core/distribution/devices.h"
#include "core/distribution/strategy.h"
#include "core/job/fit.h"
#include "guide_model.h"

using namespace lockstep;

int main() {
    const auto failed = [](const Error& error) {
        std::cerr << "error: " << error.message << "\n  " << error.remedy << "\n";
        return 1;
    };
    // Two CPU devices: two replicas, each on a thread of its own.
    if (auto set = distribution::setCpuDeviceCount(2); !set) return failed(set.error());
    const auto strategy = distribution::MirroredStrategy::make();
    if (!strategy) return failed(strategy.error());
    std::cout << "Number of devices: " << (*strategy)->numReplicasInSync() << "\n";

    const auto scope = (*strategy)->scope();
    const auto result = job::fit(**strategy, guideModel());
    if (!result) return failed(result.error());
    std::cout << "test loss " << result->testLoss << ", accuracy " << result->testAccuracy
              << ", state " << result->stateHash << "\n";
    return 0;
}
