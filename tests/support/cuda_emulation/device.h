// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver_types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// The devices' work. An operation knows what it comes after: the one before it in its stream, and
// those that an event stands for. Nothing runs until somebody waits or asks; then of the
// operations that may run the one that was enqueued LAST runs first (CUDA_EMULATION_ORDER=first:
// the first). So an order that nothing enforces is not kept, and is found.
namespace cuda_emulation {

enum class Progress { Done, Waiting };

/// What an operation does; Waiting: try again later. Copied for each replay of a graph.
using Action = std::function<Progress()>;

struct Operation;
using Work = std::shared_ptr<Operation>;

struct Operation {
    std::string name;
    Action action;
    int device = 0;
    std::uint64_t number = 0;
    std::vector<Work> followers;
    std::size_t unmet = 0;  ///< Operations that must be done before.
    bool done = false;
    std::vector<std::size_t> after;  ///< Positions in that graph.
};

}  // namespace cuda_emulation

/// A graph that is captured, or was.
struct CUgraph_st {
    std::vector<cuda_emulation::Operation> operations;
    std::vector<std::size_t> ends;  ///< What the origin's next operation would come after.
};
struct CUgraphExec_st {
    CUgraph_st graph;
};

namespace cuda_emulation {

/// A capture that is under way.
struct Capture {
    CUgraph_st graph;
    cudaStream_t origin = nullptr;
    std::thread::id thread;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    cudaError_t spoilt = cudaSuccess;  ///< By a call that a capture forbids.
    bool ended = false;
};

}  // namespace cuda_emulation

struct CUstream_st {
    int device = 0;
    std::vector<cuda_emulation::Work> last;  ///< What the next operation comes after.
    std::shared_ptr<cuda_emulation::Capture> capture;
    std::vector<std::size_t> lastCaptured;
};

struct CUevent_st {
    bool timed = false;
    std::shared_ptr<double> milliseconds;  ///< When it was reached, if timed.
    std::vector<cuda_emulation::Work> recorded;
    bool captured = false;
    std::shared_ptr<cuda_emulation::Capture> capture;  ///< Recorded in this.
    std::vector<std::size_t> recordedInCapture;
};

namespace cuda_emulation {

/// All devices of the process. Any thread.
class Devices {
public:
    [[nodiscard]] static Devices& get();
    [[nodiscard]] static int count();

    using Lock = std::unique_lock<std::mutex>;
    [[nodiscard]] Lock lock() { return Lock(mutex_); }

    /// The stream that null stands for, on the current thread's device. All else with the lock.
    [[nodiscard]] cudaStream_t real(cudaStream_t stream);
    [[nodiscard]] bool isStream(cudaStream_t stream) const { return streams_.contains(stream); }
    [[nodiscard]] cudaStream_t addStream(int device);
    void removeStream(cudaStream_t stream);

    /// Behind what the stream has; or into the graph that the stream is captured to.
    [[nodiscard]] cudaError_t enqueue(cudaStream_t stream, std::string name, Action action);
    void replay(const CUgraphExec_st& graph, cudaStream_t stream);
    /// Lets the device do one operation, if one can be done.
    bool runOne();
    /// Until `holds`; the lock is given away while nothing can run.
    void runUntil(Lock& lock, const std::function<bool()>& holds);
    /// Whether other devices than this have an operation of that name to do.
    [[nodiscard]] bool othersHave(std::string_view name, int device) const;
    /// All of the current thread's device.
    void runAll(Lock& lock);
    [[nodiscard]] static bool done(const std::vector<Work>& work);

    /// cudaErrorStreamCaptureUnsupported, and the capture is spoilt, where the calling thread may
    /// not do what is not recorded.
    [[nodiscard]] cudaError_t outsideCapture();
    /// All streams that took part are ordinary ones again.
    void leaveCapture(const std::shared_ptr<Capture>& capture);

private:
    Work add(int device, std::string name, Action action, const std::vector<Work>& after);
    void finish(const Work& work);

    std::mutex mutex_;
    std::set<cudaStream_t> streams_;
    std::map<int, cudaStream_t> defaultStreams_;
    std::map<std::uint64_t, Work> ready_;
    std::map<int, std::size_t> pending_;                        ///< By device.
    std::map<std::pair<std::string, int>, std::size_t> named_;  ///< Those of each name and device.
    std::uint64_t next_ = 0;
};

[[nodiscard]] int currentDevice();
void chooseDevice(int device);

}  // namespace cuda_emulation
