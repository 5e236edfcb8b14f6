// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>

namespace lockstep::ui {

/// A metric's name as people write it: "Mean absolute error", "Top-5 accuracy", "AUC". Of what is
/// no metric of ours, such as a figure that a user's program reports, the name as it is.
[[nodiscard]] QString metricName(const std::string& name);

/// Within a sentence or a cell: "accuracy", "RMSE", "MAE", "loss".
[[nodiscard]] QString metricShortName(const std::string& name);

/// Its value as it is read: shares of samples in percent ("98.10 %"), errors in the targets' unit,
/// grouped where they are large ("36 943"), all else to four digits.
[[nodiscard]] QString metricValue(const std::string& name, double value);

/// A series by its tag: "Mean absolute error, validation" for "validation/mean_absolute_error",
/// "Learning rate, training" for "train/learning_rate". What is no plain name of a part of the
/// data, such as "train/encoder/entropy", stays as it is.
[[nodiscard]] QString seriesName(const std::string& tag);
/// What samples it is of, in the middle of a sentence: "validation"; of others their name.
[[nodiscard]] QString splitName(const std::string& split);
/// Its value as metricValue() has that of the metric.
[[nodiscard]] QString seriesValue(const std::string& tag, double value);

}  // namespace lockstep::ui
