// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/coordination/state/answer_error.h"
#include "core/coordination/state/process_key.h"

namespace lockstep::coordination {

/// Set to the run's status once the chief has left: how the evaluator knows that no more comes.
inline constexpr std::string_view kRunEndedKey = "run/ended";
/// Always set: reading it shows that the coordinator lives.
inline constexpr std::string_view kAliveKey = "run/alive";
/// Questions for it, with which clocks are compared, have this bit in their numbers; the answer
/// carries the coordinator's time.
inline constexpr std::uint64_t kClockQuestion = std::uint64_t{1} << 63;

/// The answer to a request of a process; an empty error is success.
struct RequestAnswer {
    ProcessKey process;
    std::uint64_t request = 0;
    std::string value;
    std::string error;
};

/// Small values that the processes of a job exchange: addresses, NCCL ids, Gloo's rendezvous.
/// A get of a key that is not there waits for it. Owns no clock and no thread.
class KeyValueStore {
public:
    static constexpr std::size_t kMaxKeyBytes = 512;
    static constexpr std::size_t kMaxValueBytes = 256 << 10;
    static constexpr std::size_t kMaxTotalBytes = 64 << 20;
    static constexpr std::size_t kMaxWaiting = 65536;
    static constexpr std::size_t kMaxPageBytes = 128 << 10;

    /// Stores or replaces; the answers to those who waited. BadInput above a limit.
    [[nodiscard]] Result<std::vector<RequestAnswer>> set(const std::string& key,
                                                         const std::string& value);
    /// The answer now, or none: it comes from a later `set`, `expire` or `abort`. The same request
    /// again (its answer may have been lost) waits once.
    [[nodiscard]] std::vector<RequestAnswer> get(const ProcessKey& process, std::uint64_t request,
                                                 const std::string& key, Nanos timeout, Nanos now);
    /// The value now, NotFound where nobody has set the key.
    [[nodiscard]] Result<std::string> find(const std::string& key) const;
    /// Removes the key and all below it ("a" with "a/b"), where there are any.
    void erase(const std::string& key);
    /// Names, in order.
    struct Page {
        std::vector<std::string> keys;
        bool more = false;  ///< There are others behind the last of these.
    };
    /// The keys below `folder` ("a" for "a/b" and "a/b/c"; empty: all) behind the name `after`, as
    /// many as a message takes.
    [[nodiscard]] Page list(const std::string& folder, const std::string& after) const;
    [[nodiscard]] std::vector<RequestAnswer> expire(Nanos now);
    /// Answers all who wait with kAbortedWord and `reason`.
    [[nodiscard]] std::vector<RequestAnswer> abort(const std::string& reason);
    /// A process that is no more waits for nothing.
    void forget(const ProcessKey& process);
    void clear();

private:
    struct Waiting {
        std::string key;
        Nanos deadline{};
        Nanos timeout{};
    };
    std::map<std::string, std::string> values_;
    std::size_t totalBytes_ = 0;
    std::map<std::pair<ProcessKey, std::uint64_t>, Waiting> waiting_;
};

}  // namespace lockstep::coordination
