// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>
#include <array>
#include <cstddef>
#include <deque>

namespace lockstep::ui {

/// The newest steps of a replica in the order of time, and what takes how much of any stretch of
/// it: found by halving, however many steps lie in the stretch.
class StepLane {
public:
    static constexpr std::size_t kPhases = 5;
    /// What a step spends its time with: a phase, or kRest, what it took besides them.
    static constexpr int kRest = int(kPhases);
    static constexpr int kKinds = kRest + 1;
    static constexpr int kNothing = -1;  ///< No step at all.

    /// All times are nanoseconds since 1970.
    struct Step {
        qint64 number = 0;
        qint64 begin = 0;
        qint64 end = 0;
        std::array<qint64, kPhases> phaseEnds{};  ///< One begins where that before it ends.
    };
    /// Nanoseconds by kind.
    using Taken = std::array<qint64, kKinds>;

    /// Behind those that are there: what overlaps them begins where they end. Where it begins far
    /// before, a clock had run ahead: the steps that it put behind this one go.
    void add(const Step& step);
    /// Lets go of all but the newest `most`.
    void keep(std::size_t most);

    [[nodiscard]] bool isEmpty() const { return steps_.empty(); }
    [[nodiscard]] std::size_t size() const { return steps_.size(); }
    [[nodiscard]] qint64 begin() const { return isEmpty() ? 0 : steps_.front().begin; }
    [[nodiscard]] qint64 end() const { return isEmpty() ? 0 : steps_.back().end; }
    [[nodiscard]] Step at(std::size_t index) const;
    /// The index of the first step that ends later; size(): none does.
    [[nodiscard]] std::size_t firstEndingAfter(qint64 time) const;
    /// The index of the first step that begins then or later; size(): none does.
    [[nodiscard]] std::size_t firstBeginningAt(qint64 time) const;
    /// What all steps together took before that time.
    [[nodiscard]] Taken takenBefore(qint64 time) const;
    /// The same for times that grow, without a search: `index` is what firstEndingAfter() gives of
    /// a time that is not later, and moves on.
    [[nodiscard]] Taken takenBefore(qint64 time, std::size_t& index) const;
    /// What takes most of the stretch between two times, of which takenBefore() is given.
    [[nodiscard]] static int mostOf(const Taken& before, const Taken& after);

private:
    void cutBack(qint64 time);

    struct Entry {
        qint64 number = 0;
        qint64 begin = 0;
        qint64 end = 0;
        Taken before{};  ///< What all steps before it took, those that are gone, too.
    };
    [[nodiscard]] const Taken& after(std::size_t index) const {
        return index + 1 < steps_.size() ? steps_[index + 1].before : total_;
    }

    std::deque<Entry> steps_;
    Taken total_{};
};

}  // namespace lockstep::ui
