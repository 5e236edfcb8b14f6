// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace lockstep {

/// What the addresses of this process's code are called, as far as its files tell: a program that
/// is not stripped has the names of all its functions. One thread.
class SymbolNames {
public:
    SymbolNames();
    ~SymbolNames();
    SymbolNames(const SymbolNames&) = delete;
    SymbolNames& operator=(const SymbolNames&) = delete;

    /// "lockstep::train::HostSteps::run() +0x1c (lockstep-worker)", or, where no name is known,
    /// "lockstep-worker +0x4d1c": its place in that file.
    [[nodiscard]] std::string nameOf(const void* address);

private:
    class File;
    [[nodiscard]] const File& fileOf(const std::string& path);

    std::map<std::string, std::unique_ptr<File>> files_;
};

}  // namespace lockstep
