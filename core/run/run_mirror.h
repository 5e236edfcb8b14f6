// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/run/run_folder.h"

namespace lockstep::run {

/// A copy of a run whose folder lies on another host, as its launcher has it, and the agent that
/// keeps copies: its journal, whole frames only, so that it can be read like any other. One writer
/// at a time holds the folder's lock; a second one on this machine only reads. One thread.
class RunMirror {
public:
    /// Opens, or begins, the copy. What a crash has left of a frame is cut off. Io when the folder
    /// cannot be written.
    [[nodiscard]] static Result<RunMirror> open(const RunPaths& paths, const std::string& runId);

    /// Bytes of the journal that are there.
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Whole frames from `offset` on; empty: there are none.
    [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t maxBytes) const;
    /// Adds what lies at `offset`; nothing where it is there already, or another one writes.
    [[nodiscard]] Result<void> append(std::uint64_t offset, const std::string& frames);
    /// What lies behind `offset` is not the run's any more: its host never had it on disk.
    [[nodiscard]] Result<void> cutBack(std::uint64_t offset);
    /// The same where its host may have lost it, and this be all there is: it goes to a file beside
    /// the journal, `journal.cut-N`. Where that cannot be written nothing is cut.
    [[nodiscard]] Result<void> cutAside(std::uint64_t offset);
    /// What was added is durable.
    [[nodiscard]] Result<void> sync() const;
    [[nodiscard]] bool writes() const { return lock_.valid(); }

private:
    RunMirror(RunPaths paths, UniqueFd lock, UniqueFd journal, std::uint64_t size)
        : paths_(std::move(paths)),
          lock_(std::move(lock)),
          journal_(std::move(journal)),
          size_(size) {}

    [[nodiscard]] Result<void> copyTail(std::uint64_t offset, int to) const;

    RunPaths paths_;
    UniqueFd lock_;
    UniqueFd journal_;
    std::uint64_t size_;
};

}  // namespace lockstep::run
