// SPDX-License-Identifier: Apache-2.0
// Copies what is newest in one folder of checkpoints to another one, as the agent of a second host
// does, to be killed or given I/O errors while it does:
// copy_checkpoint FROM TO KEEP
// Exit status 0 when it was copied, 1 when that failed, 2 when there was nothing to copy.

#include <cstdio>
#include <cstdlib>

#include "core/checkpoint/checkpoint_copies.h"
#include "tests/support/folder_source.h"

using namespace lockstep;
using namespace lockstep::checkpoint;

int main(int count, char** arguments) {
    if (count != 4) return 2;
    test::FolderSource source(arguments[1]);
    CheckpointCopies copies(source, arguments[2], std::atoi(arguments[3]), [] { return false; });
    const auto copied = copies.turn(SteadyClock::read());
    if (!copied) return 2;
    if (copied->error) std::puts(copied->error->message.c_str());
    return copied->error ? 1 : 0;
}
