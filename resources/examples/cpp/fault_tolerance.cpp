// SPDX-License-Identifier: Apache-2.0
// Fault tolerance by checkpoints: run it, kill it, run it again: it goes on where the last good
// checkpoint was, and ends with the same weights as if nothing had happened.
#include <filesystem>
#include <iostream>

#include "core/distribution/strategy.h"
#include "core/job/fit.h"
#include "guide_model.h"

using namespace lockstep;

int main(int argc, char** argv) {
    const std::filesystem::path folder = argc > 1 ? argv[1] : "guide-run";
    const auto strategy = distribution::MirroredStrategy::make();
    if (!strategy) {
        std::cerr << "error: " << strategy.error().message << "\n";
        return 1;
    }
    config::JobSpec job = guideModel();
    job.training.seed = 1;
    job.checkpoint.everySteps = 50;
    job::FitOptions options;
    options.runFolder = folder;
    // Made or restored: a checkpoint is there once LATEST names it, never half of one.
    options.resume = std::filesystem::exists(folder / "checkpoints" / "LATEST");
    std::cout << (options.resume ? "restoring from " : "creating a new model in ") << folder
              << std::endl;
    const auto result = job::fit(**strategy, job, options);
    if (!result) {
        std::cerr << "error: " << result.error().message << "\n  " << result.error().remedy << "\n";
        return 1;
    }
    std::cout << "steps " << result->steps << ", state " << result->stateHash << "\n";
    return 0;
}
