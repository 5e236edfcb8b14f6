// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/text/json.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kShown = 40;  ///< Bytes of a cell that a sentence shows.

std::string_view trimmed(std::string_view cell) {
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t'))
        cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t'))
        cell.remove_suffix(1);
    return cell;
}

tl::unexpected<Error> isNo(std::string_view cell, std::string_view what) {
    return fail(ErrorCode::BadInput,
                fmt::format("is \"{}\", which is {}", sanitizeLine(cell, kShown), what));
}

}  // namespace

bool saysMissing(std::string_view cell) {
    // What pandas.read_csv takes for missing, and UCI's "?".
    static constexpr std::array<std::string_view, 19> kWords = {
        "",     "NA",   "NaN",  "nan", "null", "NULL",     "None",    "N/A",      "n/a",    "<NA>",
        "#N/A", "-NaN", "-nan", "#NA", "?",    "#N/A N/A", "1.#QNAN", "-1.#QNAN", "-1.#IND"};
    return std::ranges::find(kWords, trimmed(cell)) != kWords.end();
}

Result<double> parseNumber(std::string_view cell) {
    std::string_view text = trimmed(cell);
    if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
    double number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || status == std::errc::invalid_argument)
        return isNo(cell, "no number");
    if (status != std::errc() || !(std::abs(number) <= std::numeric_limits<float>::max()))
        return isNo(cell, "no finite number of float32");
    return number;
}

Result<std::int64_t> parseWhole(std::string_view cell) {
    const std::string_view text = trimmed(cell);
    std::int64_t whole = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (status == std::errc() && end == text.data() + text.size()) return whole;
    const double number = TRY(parseNumber(cell));
    constexpr double kExact = 9007199254740992;  // 2^53: above, not every whole number is a double
    if (number != std::floor(number) || std::abs(number) > kExact)
        return isNo(cell, "no whole number");
    return static_cast<std::int64_t>(number);
}

Result<CellValue> valueOfCell(std::string_view cell, config::FeatureKind kind,
                              std::string_view name) {
    const auto of = [name](Error error) {
        error.message = fmt::format("{} {}", name, error.message);
        return fail(std::move(error));
    };
    CellValue value;
    const bool isWord = kind == config::FeatureKind::StringCategorical;
    // A word may be NA: of a country, say.
    value.isMissing = isWord ? trimmed(cell).empty() : saysMissing(cell);
    if (value.isMissing) return value;
    if (isWord) {
        if (!text::fitsJson(cell)) return of({ErrorCode::BadInput, "is not UTF-8"});
        value.word = trimmed(cell);
    } else if (kind == config::FeatureKind::IntegerCategorical) {
        const auto whole = parseWhole(cell);
        if (!whole) return of(whole.error());
        value.word = std::to_string(*whole);
    } else {
        const auto number = parseNumber(cell);
        if (!number) return of(number.error());
        value.number = *number;
    }
    return value;
}

}  // namespace lockstep::data
