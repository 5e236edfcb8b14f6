// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::data {

/// What is wrong with parts of a data set: all are counted, the first ones are named.
class ProblemList {
public:
    /// Whether the next one would be named: its sentence need not be made else.
    [[nodiscard]] bool namesNext() const { return named_.size() < kNamed; }
    void count() { ++count_; }
    /// Counts it, too.
    void add(std::string_view sentence);

    [[nodiscard]] std::uint64_t size() const { return count_; }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    /// "a.csv:3 has 2 cells; a.csv:9 is empty; and 12 more": of one line, for a message.
    [[nodiscard]] std::string text() const;

private:
    static constexpr std::size_t kNamed = 5;
    std::uint64_t count_ = 0;
    std::vector<std::string> named_;
};

}  // namespace lockstep::data
