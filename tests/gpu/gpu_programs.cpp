// SPDX-License-Identifier: Apache-2.0
// gpu_programs SEEDS: the random networks of the tests on this machine's GPU, against the reference
// in float64; a quarter as many as the members of a mesh share them, all on that GPU. A line for
// each of the first that are wrong, with the fewest of its nodes that are, and one with how many
// are; exit status 1: some are, or something did not occur.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/thread.h"
#include "tests/support/gpu_programs.h"

using namespace lockstep;

namespace {

/// Networks that are printed; the others are counted.
constexpr int kMostShown = 10;

/// A line: the table that it goes to has one for each.
std::string onOneLine(std::string text) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n'))
        text.replace(at, 1, "; ");
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    flushDenormals();
    const unsigned long long seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
    constexpr unsigned long long kCampaign = 2000;
    testing::ProgramCounts counts;
    int wrong = 0;
    for (unsigned long long seed = 0; seed < seeds; ++seed) {
        const std::string what = testing::playOnGpu(seed, counts);
        if (what.empty() || ++wrong > kMostShown) continue;
        const std::string narrowed = testing::narrowDownOnGpu(seed);
        std::printf("FAILED   seed %llu: %s (of its first nodes: %s)\n", seed, what.c_str(),
                    narrowed.empty() ? "nothing is wrong" : onOneLine(narrowed).c_str());
    }
    const unsigned long long meshes = seeds / 4;
    for (unsigned long long seed = 0; seed < meshes; ++seed) {
        const std::string what = testing::playMeshOnGpu(seed);
        if (what.empty() || ++wrong > kMostShown) continue;
        std::printf("FAILED   seed %llu on a mesh: %s\n", seed, what.c_str());
    }
    if (wrong > kMostShown) std::printf("FAILED   %d more random networks\n", wrong - kMostShown);
    const std::string seldom = seeds >= kCampaign ? counts.lessThan(20) : "";
    if (!seldom.empty()) std::printf("FAILED   %s occurred less than 20 times\n", seldom.c_str());
    if (wrong == 0 && seldom.empty())
        std::printf(
            "ok       %llu random networks as the reference, %llu of them in a mesh's parts, too\n",
            seeds, meshes);
    return wrong == 0 && seldom.empty() ? 0 : 1;
}
