// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace lockstep::ui {

class JobEditor;

/// The cards of the Job page, one a table of the job file. Each fills and follows itself.
[[nodiscard]] QWidget* buildJobCard(JobEditor& editor, QWidget* parent);
[[nodiscard]] QWidget* buildDataCard(JobEditor& editor, QWidget* parent);
[[nodiscard]] QWidget* buildTrainingCard(JobEditor& editor, QWidget* parent);
[[nodiscard]] QWidget* buildCheckpointCard(JobEditor& editor, QWidget* parent);
/// Hidden while the job has no evaluator.
[[nodiscard]] QWidget* buildEvaluatorCard(JobEditor& editor, QWidget* parent);
[[nodiscard]] QWidget* buildProgramCard(JobEditor& editor, QWidget* parent);
[[nodiscard]] QWidget* buildLaunchCard(JobEditor& editor, QWidget* parent);

}  // namespace lockstep::ui
