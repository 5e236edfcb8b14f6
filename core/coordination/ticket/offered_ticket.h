// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::coordination {

/// A ticket that process 0 has written (writeTicket) and holds: it lies in its place as long as
/// this does.
class OfferedTicket {
public:
    [[nodiscard]] static Result<OfferedTicket> offer(const std::filesystem::path& file,
                                                     const wire::StartTicket& ticket);
    ~OfferedTicket() { withdraw(); }
    OfferedTicket(OfferedTicket&&) noexcept = default;
    OfferedTicket& operator=(OfferedTicket&&) = delete;

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    /// Removes the file. For a process that ends without destructors, too.
    void withdraw();

private:
    OfferedTicket(std::filesystem::path file, UniqueFd lock)
        : file_(std::move(file)), lock_(std::move(lock)) {}

    std::filesystem::path file_;
    UniqueFd lock_;  ///< Not valid: it was withdrawn.
};

}  // namespace lockstep::coordination
