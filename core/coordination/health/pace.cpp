// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/pace.h"

#include <algorithm>
#include <cmath>

namespace lockstep::coordination {

double lowerMedian(std::vector<double> numbers) {
    if (numbers.empty()) return 0;
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
    std::ranges::nth_element(numbers, middle);
    return *middle;
}

std::vector<double> costsOf(const std::vector<Pace>& all, const SlowRules& rules) {
    std::vector<double> own;
    for (const Pace& pace : all)
        own.push_back(pace.own());
    const double usual = lowerMedian(own);
    // Most do not tell how long they work: programs need not report their phases.
    if (!(usual > 0)) return std::vector<double>(all.size());
    std::vector<double> differences;
    for (const double one : own)
        differences.push_back(std::abs(one - usual));
    const double allowed = usual * rules.unevenness + rules.spreads * lowerMedian(differences);
    std::vector<double> costs;
    for (const Pace& pace : all) {
        const double more = pace.own() - usual * rules.unevenness;
        const bool isSlow = pace.own() > allowed && pace.step > 0;
        costs.push_back(isSlow ? std::min(more / pace.step, 1.0) : 0.0);
    }
    return costs;
}

}  // namespace lockstep::coordination
