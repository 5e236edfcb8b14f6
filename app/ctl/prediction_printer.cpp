// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/prediction_printer.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/terminal/colour.h"
#include "app/terminal/error_output.h"
#include "core/base/plural.h"
#include "core/base/sanitize_lines.h"
#include "core/base/text.h"

namespace lockstep::app {

namespace {
constexpr std::size_t kLongestLine = std::size_t{1} << 16;  ///< Of what is said aside.
}

using text::Json;

void PredictionPrinter::addJson(const std::string& file, const train::FileSamples& samples,
                                std::uint32_t index, const train::Prediction& prediction) {
    Json entry = Json::object({{"file", file}});
    if (!samples.placeName.empty()) entry[samples.placeName] = samples.places[index];
    Json::List classes;
    for (const train::RankedClass& one : prediction.classes)
        classes.push_back(Json::object({{"class", one.name},
                                        {"index", one.index},
                                        {"probability", one.probability},
                                        {"logit", one.logit}}));
    if (!classes.empty()) entry["classes"] = Json(std::move(classes));
    for (const train::PredictedValue& one : prediction.values)
        entry["values"][one.name] = one.value;
    list_.push_back(std::move(entry));
}

void PredictionPrinter::add(const std::string& file, const train::FileSamples& samples,
                            std::uint32_t index, const train::Prediction& prediction) {
    ++done_;
    if (asJson_) {
        addJson(file, samples, index, prediction);
        return;
    }
    std::string name = sanitizeLine(file, 200);
    if (samples.placeName == "line") name += fmt::format(":{}", samples.places[index]);
    if (samples.placeName == "index") name += fmt::format("[{}]", samples.places[index]);
    std::string line = fmt::format("{:<{}}", name, width_);
    for (const train::RankedClass& one : prediction.classes)
        line += fmt::format("  {} {:.4f}", sanitizeLine(one.name, 60), one.probability);
    for (const train::PredictedValue& one : prediction.values)
        line += fmt::format("  {} {:.6g}", sanitizeLine(one.name, 60), one.value);
    std::printf("%s\n", line.c_str());
}

void PredictionPrinter::addText(const std::string& name, const std::string& prompt,
                                const std::string& continuation) {
    ++done_;
    if (!asJson_) {
        // A network may write what a terminal would take for orders.
        std::printf("%s\n", sanitizeLines(prompt + continuation, std::string::npos).c_str());
        return;
    }
    Json entry = Json::object({{"prompt", prompt}, {"continuation", continuation}});
    if (!name.empty()) entry["file"] = name;
    list_.push_back(std::move(entry));
}

void PredictionPrinter::remark(const std::string& sentence) {
    say(stderr, "note", sanitizeLines(sentence, kLongestLine));
}

Json PredictionPrinter::failed(const std::string& file, const std::string& sentence,
                               const std::string& remedy) {
    ++failures_;
    say(stderr, "warning", sanitizeLines(sentence, kLongestLine));
    if (!remedy.empty())
        std::fprintf(stderr, "  %s\n", sanitizeLines(remedy, kLongestLine).c_str());
    Json entry = Json::object({{"file", file}, {"error", sentence}});
    if (!remedy.empty()) entry["remedy"] = remedy;
    return entry;
}

void PredictionPrinter::addFailure(const std::string& file, const std::string& sentence,
                                   const std::string& remedy) {
    Json entry = failed(file, sentence, remedy);
    if (asJson_) list_.push_back(std::move(entry));
}

void PredictionPrinter::addFailure(const std::string& file, const train::FileSamples& samples,
                                   const train::LeftOut& one) {
    Json entry = failed(file, one.sentence, one.remedy);
    if (!samples.placeName.empty()) entry[samples.placeName] = one.place;
    if (asJson_) list_.push_back(std::move(entry));
}

int PredictionPrinter::finish() {
    if (asJson_) std::printf("%s\n", Json(std::move(list_)).text(2).c_str());
    if (std::fflush(stdout) != 0) return report(outputFailure());
    if (failures_ == 0) return 0;
    printError(fmt::format("{} of {} could not be predicted", failures_,
                           counted(done_ + failures_, "input")),
               "The warnings say why; all others were predicted.");
    return 1;
}

}  // namespace lockstep::app
