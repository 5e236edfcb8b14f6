// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/json.h"
#include "core/train/handover/input_file.h"
#include "core/train/handover/predictor.h"

namespace lockstep::app {

/// Prints what is predicted of files: a line each on standard output, or all as a list of JSON;
/// what cannot be predicted on standard error, and counted.
class PredictionPrinter {
public:
    /// `width`: of the names, so that what follows stands in columns.
    PredictionPrinter(bool asJson, std::size_t width) : asJson_(asJson), width_(width) {}

    /// Of sample `index` of a file.
    void add(const std::string& file, const train::FileSamples& samples, std::uint32_t index,
             const train::Prediction& prediction);
    /// `name`: of the prompt's file; empty: it was given in words.
    void addText(const std::string& name, const std::string& prompt,
                 const std::string& continuation);
    void remark(const std::string& sentence);
    /// A whole file.
    void addFailure(const std::string& file, const std::string& sentence,
                    const std::string& remedy = {});
    /// A sample of one.
    void addFailure(const std::string& file, const train::FileSamples& samples,
                    const train::LeftOut& one);
    /// Ends the output, and gives the exit status.
    [[nodiscard]] int finish();

private:
    /// Says it, and gives its entry of JSON.
    text::Json failed(const std::string& file, const std::string& sentence,
                      const std::string& remedy);
    void addJson(const std::string& file, const train::FileSamples& samples, std::uint32_t index,
                 const train::Prediction& prediction);

    bool asJson_;
    std::size_t width_;
    std::size_t done_ = 0;
    std::size_t failures_ = 0;
    text::Json::List list_;
};

}  // namespace lockstep::app
