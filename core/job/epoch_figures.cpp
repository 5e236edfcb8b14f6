// SPDX-License-Identifier: Apache-2.0
#include "core/job/epoch_figures.h"

#include "core/base/try.h"
#include "core/text/json.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

namespace {

using text::Json;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Json jsonOf(const EpochFigures::Part& part) {
    return Json::object(
        {{"loss", part.loss}, {"accuracy", part.accuracy}, {"metrics", part.metrics}});
}

Json jsonOf(const EpochFigures& one) {
    Json json = Json::object({{"epoch", one.epoch},
                              {"step", one.step},
                              {"train", jsonOf(one.train)},
                              {"seconds", one.seconds}});
    if (one.hasValidation) json["validation"] = jsonOf(one.validation);
    return json;
}

EpochFigures::Part partOf(const Json* json) {
    EpochFigures::Part part;
    if (json == nullptr) return part;
    part.loss = json->get<double>("loss").value_or(kUnknown);
    part.accuracy = json->get<double>("accuracy").value_or(kUnknown);
    if (const Json* metrics = json->find("metrics"))
        for (const auto& [name, value] : metrics->members())
            part.metrics[name] = value.as<double>().value_or(kUnknown);
    return part;
}

template <typename Figures>
std::map<std::string, double> metricsOf(const Figures& figures) {
    std::map<std::string, double> metrics;
    for (const wire::NamedFigure& one : figures)
        metrics[one.name()] = one.value();
    return metrics;
}

}  // namespace

EpochFigures figuresOf(const wire::EpochResult& result) {
    EpochFigures figures;
    figures.epoch = static_cast<int>(result.epoch());
    figures.step = static_cast<std::int64_t>(result.step());
    figures.train = {result.train_loss(), result.train_accuracy(),
                     metricsOf(result.train_figures())};
    figures.hasValidation = result.has_validation();
    if (figures.hasValidation)
        figures.validation = {result.validation_loss(), result.validation_accuracy(),
                              metricsOf(result.validation_figures())};
    figures.seconds = result.seconds();
    return figures;
}

std::vector<std::string> encodeFigures(const std::vector<EpochFigures>& epochs,
                                       std::size_t mostBytes) {
    std::vector<std::string> parts;
    for (const EpochFigures& one : epochs) {
        const std::string line = jsonOf(one).text();
        const bool fits =
            !parts.empty() && parts.back().size() + line.size() + 2 <= mostBytes;  // "," and "]"
        if (!fits) {
            if (!parts.empty()) parts.back() += ']';
            parts.emplace_back("[");
        } else {
            parts.back() += ',';
        }
        parts.back() += line;
    }
    if (!parts.empty()) parts.back() += ']';
    return parts;
}

Result<std::vector<EpochFigures>> parseFigures(const std::string& text) {
    const Json json = TRY(text::parseJson(text));
    std::vector<EpochFigures> epochs;
    for (const Json& one : json.items()) {
        EpochFigures figures;
        const auto epoch = one.get<int>("epoch");
        const auto step = one.get<std::int64_t>("step");
        if (!epoch || !step)
            return fail(ErrorCode::Corrupt, "what process 0 sent about the epochs does not parse");
        figures.epoch = *epoch;
        figures.step = *step;
        figures.train = partOf(one.find("train"));
        figures.hasValidation = one.has("validation");
        figures.validation = partOf(one.find("validation"));
        figures.seconds = one.get<double>("seconds").value_or(0);
        epochs.push_back(std::move(figures));
    }
    return epochs;
}

}  // namespace lockstep::job
