// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// What each replica said last of each named figure. What it said in a start that another one went
/// behind counts no more.
class NamedValues {
public:
    static constexpr std::size_t kMostNames = 4096;  ///< A replica has 256 at most.

    void clear();
    /// All is told anew, from the beginning; the names stay.
    void forgetValues();
    /// By start, the step that it goes on behind.
    void setStarts(const std::vector<std::int64_t>& stepsBefore);
    void add(const std::vector<job::ScalarColumns>& scalars);

    /// In the order in which the names came.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// Empty: none.
    [[nodiscard]] std::string unitOf(const std::string& name) const;
    /// Null: it has not said it.
    [[nodiscard]] const double* find(const std::string& name, int replica) const;

private:
    struct Said {
        int start = 0;
        std::int64_t step = 0;
        double value = 0;
    };
    struct Figure {
        std::string unit;
        std::map<int, Said> said;  ///< By replica.
    };

    /// The newest step of a start that no later start has undone, as far as they are known.
    [[nodiscard]] std::int64_t lastThatCounts(int start) const;

    std::vector<std::string> names_;
    std::map<std::string, Figure> figures_;
    std::vector<std::int64_t> stepsBefore_;  ///< By start.
};

}  // namespace lockstep::ui
