// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "core/base/try.h"
#include "core/data/table/table_preparation.h"
#include "core/text/json_fields.h"

namespace lockstep::data {

namespace {

using config::CategoryOutput;
using config::FeatureKind;
using text::Json;

constexpr std::array<std::pair<const char*, FeatureKind>, 4> kKinds = {{
    {"float", FeatureKind::Float},
    {"float_normalized", FeatureKind::FloatNormalized},
    {"integer_categorical", FeatureKind::IntegerCategorical},
    {"string_categorical", FeatureKind::StringCategorical},
}};

Json jsonOf(const PreparedFeature& feature) {
    Json json = Json::object({{"name", feature.name}});
    for (const auto& [word, kind] : kKinds)
        if (kind == feature.kind) json["type"] = word;
    if (isCategory(feature.kind)) {
        json["output_mode"] = feature.isColumn() ? "int" : "one_hot";
        json["vocabulary"] = feature.vocabulary;
    } else {
        json["mean"] = feature.mean;
        json["deviation"] = feature.deviation;
    }
    return json;
}

Result<PreparedFeature> featureOf(const Json& json) {
    PreparedFeature feature;
    std::string type;
    std::string output = "one_hot";
    text::JsonFields fields(json);
    fields.read("name", feature.name);
    fields.read("type", type);
    fields.readIfThere("output_mode", output);
    fields.readIfThere("vocabulary", feature.vocabulary);
    fields.readIfThere("mean", feature.mean);
    fields.readIfThere("deviation", feature.deviation);
    TRY(fields.checked());
    bool isKnown = false;
    for (const auto& [word, kind] : kKinds)
        if (type == word) {
            feature.kind = kind;
            isKnown = true;
        }
    if (!isKnown || !(feature.deviation > 0))
        return fail(ErrorCode::Corrupt, "a feature is of no known type");
    feature.output = output == "int" ? CategoryOutput::Int : CategoryOutput::OneHot;
    return feature;
}

}  // namespace

Json TablePreparation::json() const {
    Json json = Json::object({{"kind", "table"},
                              {"targets", targets_},
                              {"target_scale", targetScale_},
                              {"mean_stands_in", meanStandsIn_}});
    if (!classes_.empty()) json["classes"] = classes_;
    for (const PreparedFeature& feature : features_)
        json["features"].push(jsonOf(feature));
    return json;
}

Result<TablePreparation> TablePreparation::fromJson(const Json& json) {
    TablePreparation made;
    std::string kind;
    std::vector<Json> listed;
    text::JsonFields fields(json);
    fields.read("kind", kind);
    fields.read("targets", made.targets_);
    fields.read("target_scale", made.targetScale_);
    fields.read("mean_stands_in", made.meanStandsIn_);
    fields.readIfThere("classes", made.classes_);
    fields.read("features", listed);
    TRY(fields.checked());
    if (kind != "table") return fail(ErrorCode::Corrupt, "it does not prepare rows of a table");
    for (const Json& feature : listed)
        made.features_.push_back(TRY(featureOf(feature)));
    made.layOut();
    return made;
}

}  // namespace lockstep::data
