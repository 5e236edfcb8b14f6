// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QToolButton;

namespace lockstep::ui {

class ChartGroup;
class FlowLayout;

/// The common legend of a group of charts: a chip a series. Click shows or hides it, Ctrl and
/// click (or Ctrl+Space) shows it alone. Beyond eight series the rest are in a menu,
/// and so are those that only make the band.
class ReplicaChips final : public QWidget {
    Q_OBJECT
public:
    explicit ReplicaChips(ChartGroup& group, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    [[nodiscard]] bool isCrowded() const;
    void addChip(int series);
    /// `replicas`: how many there are in all.
    void addMenu(const QVector<int>& series, qsizetype replicas);
    void choose(int series, bool alone);
    void refreshChecks();
    [[nodiscard]] QIcon dotOf(int series) const;

    ChartGroup& group_;
    FlowLayout* layout_ = nullptr;
    std::vector<QToolButton*> chips_;
};

}  // namespace lockstep::ui
