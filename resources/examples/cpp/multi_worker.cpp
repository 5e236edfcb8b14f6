// SPDX-License-Identifier: Apache-2.0
// Several hosts: start it once for each task of the cluster, with its TF_CONFIG, for example
//   TF_CONFIG='{"cluster": {"chief": ["host1:7000"], "worker": ["host2:7000"],
//               "evaluator": ["host1:7001"]}, "task": {"type": "worker", "index": 0}}'
// Chief and workers train; the evaluator scores every checkpoint as it appears.
#include <iostream>

#include "core/distribution/strategy.h"
#include "core/job/fit.h"
#include "guide_model.h"

using namespace lockstep;

int main(int argc, char** argv) {
    const auto failed = [](const Error& error) {
        std::cerr << "error: " << error.message << "\n  " << error.remedy << "\n";
        return 1;
    };
    distribution::InitializeOptions options;  // who is who comes from TF_CONFIG
    if (argc > 1) options.keyFile = argv[1];  // on several machines: a path that all of them see
    const auto strategy = distribution::MultiWorkerMirroredStrategy::make(options);
    if (!strategy) return failed(strategy.error());
    std::cout << ((*strategy)->isEvaluator() ? "evaluator"
                  : (*strategy)->isChief()   ? "chief"
                                             : "worker")
              << " of " << (*strategy)->numWorkers() << " workers with "
              << (*strategy)->numReplicasInSync() << " replicas\n";

    const auto result = job::fit(**strategy, guideModel());
    if (!result) return failed(result.error());
    std::cout << "test accuracy " << result->testAccuracy << ", state " << result->stateHash
              << ", run " << result->runFolder.string() << "\n";
    const auto left = distribution::shutdown();
    return left ? 0 : failed(left.error());
}
