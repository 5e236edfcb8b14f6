// SPDX-License-Identifier: Apache-2.0
// Commits checkpoints as a training would, to be killed or given I/O errors while it does:
// commit_checkpoint FOLDER FLOATS STEP...
// Exit status 0 when all were committed, 1 when one failed. Prints the failures' sentences.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/checkpoint/checkpoint_store.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::checkpoint;

int main(int count, char** arguments) {
    if (count < 4) return 2;
    auto store = CheckpointStore::open(arguments[1], CheckpointStore::Access::Write);
    if (!store) {
        std::puts(store.error().message.c_str());
        return 1;
    }
    int status = 0;
    for (int i = 3; i < count; ++i) {
        const test::Sample sample(std::atoll(arguments[i]),
                                  std::strtoul(arguments[2], nullptr, 10));
        if (const auto committed = store->commit(sample.snapshot); !committed) {
            std::puts(committed.error().message.c_str());
            status = 1;
        }
    }
    return status;
}
