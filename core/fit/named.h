// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace lockstep::fit {

/// A value as a job file has it.
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                           std::vector<double>, std::vector<std::string>>;

/// `{"units", 256}`: an option by its name in the job file, which is Keras'.
struct Option {
    std::string name;
    Value value;
};

/// `{"dense", {{"units", 256}, {"activation", "relu"}}}`: something by its name in the job file,
/// with what differs from its defaults.
struct Named {
    std::string type;
    std::vector<Option> options{};
};

/// Of model.layers: the guide's page on layers has them all.
using Layer = Named;
/// Of training.optimizer, with its keys of [training]: learning_rate, momentum, schedule.type, ….
using Optimizer = Named;
/// Of training.loss, with its keys of [training]: label_smoothing, huber_delta, ….
using Loss = Named;

/// As it is written in TOML.
[[nodiscard]] std::string tomlOf(const Value& value);
/// As inline table `{ type = "dense", units = 256 }`. BadInput for a name that is none.
[[nodiscard]] Result<std::string> tomlOf(const Named& named);
/// BadInput unless it is letters, digits, _ and -, with dots between parts where `mayBePath`.
[[nodiscard]] Result<void> checkName(const std::string& name, bool mayBePath);

}  // namespace lockstep::fit
