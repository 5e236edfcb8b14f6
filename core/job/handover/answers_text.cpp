// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/answers_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/json.h"

namespace lockstep::job {

using text::Json;

namespace {

Json jsonOf(const Answer& answer) {
    Json entry = Json::object({});
    if (!answer.source.empty()) entry["file"] = answer.source;
    if (!answer.error.empty()) {
        entry["error"] = answer.error;
        if (!answer.remedy.empty()) entry["remedy"] = answer.remedy;
        return entry;
    }
    if (!answer.placeName.empty()) entry[answer.placeName] = answer.place;
    Json::List classes;
    for (const Answer::Class& one : answer.classes)
        classes.push_back(Json::object({{"class", one.name},
                                        {"index", one.index},
                                        {"probability", one.probability},
                                        {"logit", one.logit}}));
    if (!answer.classes.empty()) entry["classes"] = Json(std::move(classes));
    for (const Answer::Value& one : answer.values)
        entry["values"][one.name] = one.value;
    if (answer.classes.empty() && answer.values.empty()) {
        entry["prompt"] = answer.prompt;
        entry["continuation"] = answer.continuation;
    }
    return entry;
}

/// What the answers have, and so which columns there are.
struct Columns {
    std::size_t classes = 0;
    std::vector<std::string> values{};
    bool texts = false;
    bool places = false;
    bool errors = false;

    explicit Columns(const std::vector<Answer>& answers) {
        for (const Answer& each : answers) {
            classes = std::max(classes, each.classes.size());
            places = places || !each.placeName.empty();
            errors = errors || !each.error.empty();
            texts = texts || !each.prompt.empty() || !each.continuation.empty();
            if (values.empty())
                for (const Answer::Value& value : each.values)
                    values.push_back(value.name);
        }
    }
};

std::string cellText(const std::string& text, char separator) {
    if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char letter : text)
        quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return quoted + '"';
}

std::vector<std::string> headerOf(const Columns& columns) {
    std::vector<std::string> cells{"file"};
    if (columns.places) cells.emplace_back("place");
    for (std::size_t i = 1; i <= columns.classes; ++i) {
        const std::string number = i == 1 ? "" : fmt::format("_{}", i);
        cells.push_back("class" + number);
        cells.push_back("probability" + number);
    }
    cells.insert(cells.end(), columns.values.begin(), columns.values.end());
    if (columns.texts) cells.insert(cells.end(), {"prompt", "continuation"});
    if (columns.errors) cells.emplace_back("error");
    return cells;
}

std::vector<std::string> cellsOf(const Answer& answer, const Columns& columns) {
    std::vector<std::string> cells{answer.source};
    if (columns.places)
        cells.push_back(answer.placeName.empty() ? "" : std::to_string(answer.place));
    for (std::size_t i = 0; i < columns.classes; ++i) {
        const bool has = i < answer.classes.size();
        cells.push_back(has ? answer.classes[i].name : "");
        cells.push_back(has ? fmt::format("{:.6g}", answer.classes[i].probability) : "");
    }
    for (std::size_t i = 0; i < columns.values.size(); ++i)
        cells.push_back(i < answer.values.size() ? fmt::format("{:.9g}", answer.values[i].value)
                                                 : "");
    if (columns.texts) cells.insert(cells.end(), {answer.prompt, answer.continuation});
    if (columns.errors) cells.push_back(answer.error);
    return cells;
}

}  // namespace

std::string csvLine(const std::vector<std::string>& cells, char separator) {
    std::string all;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) all += separator;
        all += cellText(cells[i], separator);
    }
    return all + "\n";
}

std::string answersAsJson(const std::vector<Answer>& answers) {
    Json::List list;
    for (const Answer& each : answers)
        list.push_back(jsonOf(each));
    return Json(std::move(list)).text(2) + "\n";
}

std::string answersAsCsv(const std::vector<Answer>& answers, char separator) {
    const Columns columns(answers);
    std::string text = csvLine(headerOf(columns), separator);
    for (const Answer& each : answers)
        text += csvLine(cellsOf(each, columns), separator);
    return text;
}

}  // namespace lockstep::job
