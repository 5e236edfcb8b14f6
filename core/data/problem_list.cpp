// SPDX-License-Identifier: Apache-2.0
#include "core/data/problem_list.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kLongest = 300;  ///< Bytes of one sentence: cells may be of any length.

}  // namespace

void ProblemList::add(std::string_view sentence) {
    if (namesNext()) named_.push_back(sanitizeLine(sentence, kLongest));
    ++count_;
}

std::string ProblemList::text() const {
    std::string all;
    for (const std::string& one : named_)
        all += (all.empty() ? "" : "; ") + one;
    if (count_ > named_.size()) all += fmt::format("; and {} more", count_ - named_.size());
    return all;
}

}  // namespace lockstep::data
