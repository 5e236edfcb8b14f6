// SPDX-License-Identifier: Apache-2.0
#include "app/self_test/self_test.h"

#include <cstdio>
#include <string>
#include <vector>

#include "app/self_test/check.h"
#include "core/base/clock.h"
#include "core/base/thread.h"
#include "core/tensor/gpu_support.h"

namespace lockstep::app {

namespace {

void printLine(const char* verdict, const std::string& name, const std::string& detail) {
    std::printf("%-8s %-58s %s\n", verdict, name.c_str(), detail.c_str());
    std::fflush(stdout);
}

std::vector<SelfCheck> allChecks(const std::vector<std::string>& uuids) {
    std::vector<SelfCheck> all;
    for (auto& part : {programChecks(), engineChecks(), clusterChecks(uuids), meshChecks()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

/// Why it cannot run here; empty: it can.
std::string lackOf(const SelfCheck& check, const tensor::GpuSupport& support) {
    if (!support.usable()) return support.sentence;
    const auto there = static_cast<int>(support.devices.size());
    if (there >= check.gpus) return {};
    return "it takes " + std::to_string(check.gpus) + " GPUs, and there " +
           (there == 1 ? "is " : "are ") + std::to_string(there);
}

/// True unless it failed.
bool runCheck(const SelfCheck& check) {
    const Nanos begin = SteadyClock::read();
    const auto outcome = check.run();
    const double seconds = Seconds(SteadyClock::read() - begin).count();
    char detail[64];
    std::snprintf(detail, sizeof detail, " (%.2f s)", seconds);
    if (outcome) {
        printLine("ok", check.name, *outcome + detail);
        return true;
    }
    printLine("FAILED", check.name, outcome.error().message + detail);
    return false;
}

}  // namespace

int runSelfTest() {
    flushDenormals();
    const tensor::GpuSupport support = tensor::findGpuSupport();
    std::vector<std::string> uuids;
    for (const tensor::GpuInfo& gpu : support.devices) {
        printLine("found", gpu.name,
                  gpu.uuid + ", compute capability " + std::to_string(gpu.computeMajor) + "." +
                      std::to_string(gpu.computeMinor));
        uuids.push_back(gpu.uuid);
    }
    int passed = 0;
    int failed = 0;
    int skipped = 0;
    for (const SelfCheck& check : allChecks(uuids)) {
        if (const std::string lack = lackOf(check, support); !lack.empty()) {
            printLine("skipped", check.name, lack);
            ++skipped;
            continue;
        }
        runCheck(check) ? ++passed : ++failed;
    }
    std::printf("self-test: %d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed == 0 ? 0 : 1;
}

}  // namespace lockstep::app
