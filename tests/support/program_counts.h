// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/program/program.h"

namespace lockstep::testing {

/// "batch norm".
[[nodiscard]] const char* operationWord(const model::Operation& operation);

/// How often each operation, option and fusion occurred in random programs, by words.
class ProgramCounts {
public:
    void add(const std::string& what) { ++counts_[what]; }
    /// What a program has.
    void addAll(const program::Program& program);
    [[nodiscard]] int of(const std::string& what) const;
    /// What should have occurred and did so fewer than `least` times: its words; empty: nothing.
    [[nodiscard]] std::string lessThan(int least) const;

private:
    std::map<std::string, int> counts_;
};

}  // namespace lockstep::testing
