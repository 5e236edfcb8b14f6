// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace lockstep::ui {

/// How the named figures of a job are arranged: which stand first, which are hidden, in what order;
/// kept for all runs of jobs of that name. Names are those of the figures in files.
class FigureLayout {
public:
    /// Takes what was kept for a job.
    void open(const QString& job);

    [[nodiscard]] bool isPinned(const QString& name) const { return pinned_.contains(name); }
    [[nodiscard]] bool isHidden(const QString& name) const { return hidden_.contains(name); }
    [[nodiscard]] bool isEmpty() const;
    void setPinned(const QString& name, bool pinned);
    void setHidden(const QString& name, bool hidden);
    /// To the other side of its neighbour among those of `names`, as they stand, of its kind: what
    /// is pinned stays before all else. False: there is none.
    bool move(const QString& name, bool later, const QStringList& names);
    /// All are shown, in the order in which they come.
    void clear();

    /// The names as they are placed: pinned ones, those that were moved, and what came since.
    [[nodiscard]] QStringList arranged(const QStringList& names) const;

private:
    void keep() const;

    QString job_;
    QStringList pinned_;  ///< In their order.
    QStringList hidden_;
    QStringList order_;  ///< Of all others, once one was moved.
};

}  // namespace lockstep::ui
