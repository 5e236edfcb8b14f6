// SPDX-License-Identifier: Apache-2.0
// group_calls.cpp: what processes of a group tell each other besides training. Start it once for
// each, for example
//   KERAS_DISTRIBUTION_JOB_ADDRESSES=127.0.0.1:7000,127.0.0.1:0 KERAS_DISTRIBUTION_PROCESS_ID=0
#include <iostream>

#include "core/distribution/all_gather.h"
#include "core/distribution/barrier.h"
#include "core/distribution/initialize.h"
#include "core/distribution/key_value_store.h"
#include "core/distribution/live_processes.h"

using namespace lockstep;

int failed(const Error& error) {
    std::cerr << "error: " << error.message << "\n  " << error.remedy << "\n";
    return 1;
}

int main() {
    if (auto formed = distribution::initialize(); !formed) return failed(formed.error());
    const int id = distribution::processId();

    // One process chooses, the others wait for its word.
    const auto store = distribution::KeyValueStore::open();
    if (!store) return failed(store.error());
    if (id == 0)
        if (auto set = store->set("choice/learning_rate", "0.003"); !set)
            return failed(set.error());
    const auto rate = store->get("choice/learning_rate", 60);  // waits until it is there
    if (!rate) return failed(rate.error());
    const auto nobodys = store->tryGet("choice/momentum");  // does not wait
    if (!nobodys) return failed(nobodys.error());

    // Everybody tells the others something, and gets what all have told.
    const auto names = distribution::allGather("process " + std::to_string(id));
    if (!names) return failed(names.error());
    const double own[] = {id + 0.5};
    const auto numbers = distribution::allGatherNumbers(own);
    if (!numbers) return failed(numbers.error());
    double sum = 0;
    for (const auto& one : *numbers)
        sum += one.front();

    const auto alive = distribution::liveProcesses();
    if (!alive) return failed(alive.error());
    std::cout << "rate " << *rate << ", momentum " << nobodys->value_or("not chosen") << ", first "
              << names->front() << ", last " << names->back() << ", sum " << sum << ", alive "
              << alive->size() << "\n";

    // Nobody goes on before all have come here; then the keys may go.
    if (auto all = distribution::barrier("told"); !all) return failed(all.error());
    if (id == 0)
        if (auto removed = store->remove("choice"); !removed) return failed(removed.error());
    const auto left = distribution::shutdown();
    return left ? 0 : failed(left.error());
}
