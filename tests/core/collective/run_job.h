// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <mutex>

#include "tests/core/collective/sample_job.h"
#include "tests/support/folder_store.h"
#include "tests/support/memory_store.h"

namespace lockstep::tests {

/// What the body of one replica is given.
using ReplicaBody = std::function<Result<void>(Communicator&)>;

/// Runs `body` for every replica of one process, each in its thread; the first error wins.
[[nodiscard]] inline Result<void> runProcess(const CommunicatorOptions& options,
                                             const ReplicaBody& body) {
    auto communicators = makeCommunicators(options);
    if (!communicators) return fail(communicators.error());
    std::mutex mutex;
    Result<void> outcome;
    {
        std::vector<std::jthread> threads;
        for (const auto& communicator : *communicators)
            threads.emplace_back([&, one = communicator.get()] {
                const Result<void> done = body(*one);
                const std::lock_guard lock(mutex);
                if (!done && outcome) outcome = done;
            });
    }
    return outcome;
}

/// The whole job in this process: a thread per process of the topology.
inline std::vector<Result<void>> runInThreads(const SampleJob& job, const ReplicaBody& body) {
    MemoryStore store;
    const HostMemories memories(job.topology);
    std::vector<Result<void>> outcomes(job.topology.processes.size());
    {
        std::vector<std::jthread> threads;
        for (int process = 0; process < job.topology.processCount(); ++process)
            threads.emplace_back([&, process] {
                outcomes[static_cast<std::size_t>(process)] =
                    runProcess(optionsOf(job, process, memories, store), body);
            });
    }
    return outcomes;
}

#if defined(__SANITIZE_THREAD__)
#define SKIP_FORKS_UNDER_THREAD_SANITIZER() \
    QSKIP("ThreadSanitizer does not follow threads that are started after a fork")
#else
#define SKIP_FORKS_UNDER_THREAD_SANITIZER() static_cast<void>(0)
#endif

/// Processes that end with the test, whatever happens to it.
class ForkedJob {
public:
    static constexpr int kDone = 100;  ///< Exit status; errors end with their code.

    /// Forks a process per process of the topology.
    ForkedJob(const SampleJob& job, const std::string& storeFolder, const ReplicaBody& body)
        : memories_(job.topology) {
        for (int process = 0; process < job.topology.processCount(); ++process) {
            const pid_t pid = fork();
            if (pid == 0) {
                FolderStore store(storeFolder);
                const auto done = runProcess(optionsOf(job, process, memories_, store), body);
                if (!done)
                    fprintf(stderr, "process %d: %s\n", process, done.error().message.c_str());
                _exit(done ? kDone : static_cast<int>(done.error().code));
            }
            pids_.push_back(pid);
        }
    }
    ~ForkedJob() {
        for (std::size_t process = 0; process < pids_.size(); ++process) {
            if (pids_[process] <= 0) continue;
            kill(pids_[process], SIGKILL);
            waitpid(pids_[process], nullptr, 0);
        }
    }
    ForkedJob(const ForkedJob&) = delete;
    ForkedJob& operator=(const ForkedJob&) = delete;

    void signal(int process, int number) { kill(pids_[static_cast<std::size_t>(process)], number); }

    /// The exit status; the negative signal when one ended it; -1000 when it runs on after `most`.
    [[nodiscard]] int wait(int process, Nanos most) {
        pid_t& pid = pids_[static_cast<std::size_t>(process)];
        const Nanos deadline = SteadyClock::read() + most;
        int status = 0;
        while (waitpid(pid, &status, WNOHANG) == 0) {
            if (SteadyClock::read() >= deadline) return -1000;
            std::this_thread::sleep_for(Millis(1));  // a pause: between two looks at the process
        }
        pid = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    HostMemories memories_;
    std::vector<pid_t> pids_;
};

/// Ok when the replica ends with the very bits of the plain loops.
[[nodiscard]] inline Result<void> runAndCompare(Communicator& communicator, const SampleJob& job,
                                                const ReplicaResult& expected) {
    const auto result = runReplica(communicator, job);
    if (!result) return fail(result.error());
    if (!(*result == expected))
        return fail(ErrorCode::Corrupt,
                    "replica " + std::to_string(communicator.replica()) + " holds other bits");
    return {};
}

}  // namespace lockstep::tests
