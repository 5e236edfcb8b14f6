// SPDX-License-Identifier: Apache-2.0
#include "core/collective/nccl_words.h"

#include <fmt/format.h>

namespace lockstep::collective {

NcclWords ncclWords(int code) {
    constexpr const char* kDebug = "NCCL_DEBUG=INFO in the environment makes NCCL say more.";
    switch (code) {
        case 0:
            return {"no error", "", false};
        case 1:
            return {"a CUDA call of NCCL failed on this GPU",
                    "Look at nvidia-smi for errors of the GPU.", false};
        case 2:
            return {"a system call of NCCL failed: a connection, shared memory or a network device",
                    fmt::format("Is there room in /dev/shm, and does a firewall let the hosts "
                                "connect on any port?\n{}",
                                kDebug),
                    true};
        case 3:
            return {"NCCL found a defect of its own, or memory was overwritten", kDebug, false};
        case 4:
            return {"NCCL was called with a wrong argument",
                    "This is a defect of the program; please report it.", false};
        case 5:
            return {"NCCL was used in a way that it refuses, for example with one GPU twice",
                    "Give each replica a GPU of its own, or use cluster.transport = \"gloo\".",
                    false};
        case 6:
            return {"another process ended or lost its connection",
                    "The process that failed first names the cause.", true};
        case 7:
            return {"NCCL is still at work", "", false};
        case 8:
            return {"NCCL waited too long for another process", kDebug, true};
        default:
            return {fmt::format("NCCL answered with the unknown code {}", code), kDebug, false};
    }
}

}  // namespace lockstep::collective
