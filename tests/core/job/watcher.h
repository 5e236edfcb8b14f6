// SPDX-License-Identifier: Apache-2.0
// A scripted run as it is folded while somebody watches.
#pragma once

#include "core/job/fold/run_fold.h"
#include "tests/core/job/records.h"

namespace lockstep::job::test {

/// A fold that watches a run live, and its clock.
struct Watcher {
    RunFold fold{"/runs/r1"};

    Watcher() { fold.setLink({true, true, "connected"}); }
    void say(double seconds, const wire::Record& record) {
        fold.tick(kStart + seconds);
        fold.apply(record);
    }
    RunView look(double seconds) {
        fold.tick(kStart + seconds);
        return *fold.view();
    }
};

/// Two workers of one replica each and the evaluator, registered and training.
inline Watcher training() {
    Watcher watcher;
    watcher.say(0, runInfo(0));
    watcher.say(0, runState(0, wire::RUN_STATE_LAUNCHING, "waiting for 2 processes to register"));
    watcher.say(1, replicaInfo(1, 1, 1));
    watcher.say(1, replicaInfo(1, 2, 0, wire::ROLE_EVALUATOR));
    watcher.say(1, replicaInfo(1, 0, 0));
    watcher.say(1, runState(1, wire::RUN_STATE_TRAINING, "training on 2 replicas"));
    return watcher;
}

}  // namespace lockstep::job::test
