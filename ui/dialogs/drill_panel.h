// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QTimer>
#include <memory>
#include <optional>
#include <string>

#include "core/job/fold/drill_watch.h"
#include "ui/dialogs/drill_choice.h"

class QBoxLayout;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace lockstep::ui {

class Card;
class DrillCourse;

/// Faults made on purpose in the run that is followed: chooses one, says what it does and what the
/// job leaves to do about it, and asks; then shows what becomes of it. Lists all drills that the
/// run's records tell of, whoever ordered them. Closing it ends none.
class DrillPanel final : public QDialog {
    Q_OBJECT
public:
    explicit DrillPanel(QWidget* parent = nullptr);

    void showRun(const std::shared_ptr<const job::RunView>& view);
    /// The drill that was ordered here, as it stands; null: none was.
    void showWatch(const job::DrillWatch* watch);
    void chooseProcess(int process);

Q_SIGNALS:
    /// The user has agreed.
    void ordered(const lockstep::job::DrillOrder& order);

private:
    QWidget* buildOrder();
    QWidget* buildCourse();
    [[nodiscard]] job::DrillOrder order() const;
    /// Why nothing can be done at all; empty: something can.
    [[nodiscard]] QString obstacle() const;
    void ask();
    void showProcesses();
    void showLength();
    void showRefusals();
    void showPlan();
    void showDrills();
    void showCourse();

    std::shared_ptr<const job::RunView> view_;
    std::string watched_;              ///< The id of the drill that was ordered here.
    std::optional<QString> notTaken_;  ///< Why it was not done, or that the run has not answered.
    bool isAsked_ = false;             ///< The run has not answered yet.
    DrillChoice* choice_ = nullptr;
    QComboBox* process_ = nullptr;
    QLabel* lengthName_ = nullptr;
    QDoubleSpinBox* length_ = nullptr;
    QLabel* effect_ = nullptr;
    QLabel* policy_ = nullptr;
    QPushButton* do_ = nullptr;
    Card* courseCard_ = nullptr;
    DrillCourse* course_ = nullptr;
    QListWidget* list_ = nullptr;
    QLabel* none_ = nullptr;
    QTimer beat_;  ///< While times run.
};

}  // namespace lockstep::ui
