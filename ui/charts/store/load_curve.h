// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>

namespace lockstep::ui {

/// What several sources use over time, each of which says so about once a second: a point a second,
/// the newest are kept. Who has said nothing for kPatience uses nothing any more.
class LoadCurve {
public:
    enum class Together { Sum, Mean };
    /// All times are nanoseconds since 1970.
    struct Point {
        qint64 time = 0;
        double value = 0;
    };
    static constexpr qint64 kSecond = 1'000'000'000;
    static constexpr qint64 kPatience = 3 * kSecond;
    static constexpr std::size_t kMostPoints = 20'000;
    static constexpr int kMostLate = 300;

    explicit LoadCurve(Together together) : together_(together) {}

    /// What comes far too late is left out. Where a source itself goes back, or kMostLate in a row
    /// are late, a clock had run ahead: what lies behind goes.
    void add(int source, qint64 time, double value);

    /// Of the points the newest, kMostPoints at most.
    void keep(std::size_t most);

    [[nodiscard]] bool isEmpty() const { return points_.empty(); }
    [[nodiscard]] std::size_t size() const { return points_.size(); }
    [[nodiscard]] qint64 end() const { return isEmpty() ? 0 : points_.back().time; }
    /// Of all that has come, but from a clock that had run ahead.
    [[nodiscard]] double highest() const { return highest_; }
    /// The highest value of a stretch of time, or the one that held then; nullopt: nobody said any.
    /// `index` is where the search begins: that of an earlier stretch, or 0, and moves on.
    [[nodiscard]] std::optional<double> within(qint64 from, qint64 to, std::size_t& index) const;
    /// The index for within() at a time, found by halving.
    [[nodiscard]] std::size_t indexAt(qint64 time) const;

private:
    struct Said {
        qint64 time = 0;
        double value = 0;
        qint64 own = 0;  ///< As it came; `time` is that of the others where it was a little late.
    };
    struct Turn {
        int source = 0;
        qint64 time = 0;
    };
    void forgetSilent(qint64 now);
    void goBackTo(qint64 time);

    Together together_;
    std::deque<Point> points_;
    std::map<int, Said> said_;  ///< By source, the newest.
    std::deque<Turn> turns_;    ///< Who said something when, the oldest first.
    double total_ = 0;
    double highest_ = 0;
    int late_ = 0;  ///< In a row.
};

}  // namespace lockstep::ui
