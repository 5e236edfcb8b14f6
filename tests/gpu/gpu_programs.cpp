// SPDX-License-Identifier: Apache-2.0
// gpu_programs SEEDS: the random networks of the tests on this machine's GPU, against the reference
// in float64; a quarter as many as the members of a mesh share them, all on that GPU. A line for
// each that is wrong; exit status 1: some are, or something did not occur.
#include <cstdio>
#include <cstdlib>

#include "core/base/thread.h"
#include "tests/support/gpu_programs.h"

int main(int argc, char** argv) {
    lockstep::flushDenormals();
    const unsigned long long seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
    constexpr unsigned long long kCampaign = 2000;
    lockstep::testing::ProgramCounts counts;
    int wrong = 0;
    for (unsigned long long seed = 0; seed < seeds && wrong < 10; ++seed) {
        const std::string what = lockstep::testing::playOnGpu(seed, counts);
        if (what.empty()) continue;
        std::printf("FAILED   seed %llu: %s\n", seed, what.c_str());
        ++wrong;
    }
    const unsigned long long meshes = seeds / 4;
    for (unsigned long long seed = 0; seed < meshes && wrong < 10; ++seed) {
        const std::string what = lockstep::testing::playMeshOnGpu(seed);
        if (what.empty()) continue;
        std::printf("FAILED   seed %llu on a mesh: %s\n", seed, what.c_str());
        ++wrong;
    }
    const std::string seldom = seeds >= kCampaign ? counts.lessThan(20) : "";
    if (!seldom.empty()) std::printf("FAILED   %s occurred less than 20 times\n", seldom.c_str());
    if (wrong == 0 && seldom.empty())
        std::printf(
            "ok       %llu random networks as the reference, %llu of them in a mesh's parts, too\n",
            seeds, meshes);
    return wrong == 0 && seldom.empty() ? 0 : 1;
}
