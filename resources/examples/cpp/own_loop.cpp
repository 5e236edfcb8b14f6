// SPDX-License-Identifier: Apache-2.0
// own_loop.cpp: a training loop of one's own over a strategy's replicas, of one process or, with
// TF_CONFIG, of several: all of them end with the same numbers.
#include <iostream>

#include "core/distribution/devices.h"
#include "core/distribution/strategy.h"

using namespace lockstep;

int failed(const Error& error) {
    std::cerr << "error: " << error.message << "\n  " << error.remedy << "\n";
    return 1;
}

int main() {
    if (auto set = distribution::setCpuDeviceCount(2); !set) return failed(set.error());
    const auto made = distribution::MultiWorkerMirroredStrategy::make();
    if (!made) return failed(made.error());
    const auto& strategy = **made;

    // y = 3 x - 2, found by gradient descent: each replica has its share of every batch.
    constexpr std::size_t kBatch = 20;
    double slope = 0;
    double offset = 0;
    for (int step = 0; step < 300; ++step) {
        const auto gradients = strategy.run([&](const distribution::ReplicaContext& context) {
            std::vector<double> gradient{0, 0};
            const auto share = context.share(kBatch);
            for (std::size_t i = share.begin; i < share.end; ++i) {
                const double x = -1 + 2.0 * static_cast<double>(i) / (kBatch - 1);
                const double error = slope * x + offset - (3 * x - 2);
                gradient[0] += 2 * error * x / kBatch;
                gradient[1] += 2 * error / kBatch;
            }
            return gradient;
        });
        const auto sum = strategy.reduce(distribution::ReduceOp::Sum, gradients);
        if (!sum) return failed(sum.error());
        slope -= 0.1 * (*sum)[0];
        offset -= 0.1 * (*sum)[1];
    }
    std::cout << "slope " << slope << ", offset " << offset << " on "
              << strategy.numReplicasInSync() << " replicas\n";
    const auto left = distribution::shutdown();
    return left ? 0 : failed(left.error());
}
