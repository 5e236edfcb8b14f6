// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/store/load_curve.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

void LoadCurve::forgetSilent(qint64 now) {
    while (!turns_.empty() && turns_.front().time < now - kPatience) {
        const Turn turn = turns_.front();
        turns_.pop_front();
        const auto found = said_.find(turn.source);
        if (found == said_.end() || found->second.time != turn.time) continue;  // it said more
        total_ -= found->second.value;
        said_.erase(found);
    }
}

/// A clock had run ahead: what was said by it is none of what comes now.
void LoadCurve::goBackTo(qint64 time) {
    while (!isEmpty() && end() >= time)
        points_.pop_back();
    std::erase_if(said_, [time](const auto& one) { return one.second.time >= time; });
    std::erase_if(turns_, [time](const Turn& turn) { return turn.time >= time; });
    total_ = 0;
    for (const auto& [source, said] : said_)
        total_ += said.value;
    highest_ = 0;
    for (const Point& point : points_)
        highest_ = std::max(highest_, point.value);
}

void LoadCurve::add(int source, qint64 time, double value) {
    if (!std::isfinite(value)) return;
    if (time < end() - kPatience) {
        const auto own = said_.find(source);
        const bool goesBack = own != said_.end() && own->second.own > time;
        if (!goesBack && ++late_ < kMostLate) return;
        goBackTo(time);
    }
    late_ = 0;
    const qint64 own = time;
    time = std::max(time, end());
    forgetSilent(time);
    Said& mine = said_[source];
    total_ += value - mine.value;
    mine = {time, value, own};
    if (said_.size() == 1) total_ = value;  // what was rounded does not add up
    turns_.push_back({source, time});
    const double now = together_ == Together::Mean ? total_ / double(said_.size()) : total_;
    highest_ = std::max(highest_, now);
    if (!isEmpty() && end() / kSecond == time / kSecond)
        points_.back().value = now;
    else
        points_.push_back({time, now});
    keep(kMostPoints);
}

void LoadCurve::keep(std::size_t most) {
    while (points_.size() > most)
        points_.pop_front();
}

std::size_t LoadCurve::indexAt(qint64 time) const {
    const auto later = std::ranges::upper_bound(points_, time, {}, &Point::time);
    return std::size_t(std::max<std::ptrdiff_t>(0, later - points_.begin() - 1));
}

std::optional<double> LoadCurve::within(qint64 from, qint64 to, std::size_t& index) const {
    while (index + 1 < points_.size() && points_[index + 1].time <= from)
        ++index;
    std::optional<double> highest;
    for (std::size_t i = index; i < points_.size() && points_[i].time < to; ++i)
        if (points_[i].time + kPatience > from)
            highest = std::max(highest.value_or(points_[i].value), points_[i].value);
    return highest;
}

}  // namespace lockstep::ui
