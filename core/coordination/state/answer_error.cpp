// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/answer_error.h"

#include <array>
#include <utility>

namespace lockstep::coordination {

namespace {

constexpr std::string_view kDamagedWord = "DAMAGED";
constexpr std::array<std::pair<ErrorCode, std::string_view>, 4> kWords{{
    {ErrorCode::Timeout, kTimeoutWord},
    {ErrorCode::NotFound, "GONE"},
    {ErrorCode::BadInput, "REFUSED"},
    {ErrorCode::Corrupt, kDamagedWord},
}};

}  // namespace

std::string fetchErrorText(const Error& error) {
    std::string_view word = kDamagedWord;
    for (const auto& [code, known] : kWords)
        if (code == error.code) word = known;
    return std::string(word) + ": " + error.message;
}

Error answerError(const std::string& text) {
    const std::size_t colon = text.find(": ");
    const std::string_view word = std::string_view(text).substr(0, colon);
    std::string sentence = colon == std::string::npos ? text : text.substr(colon + 2);
    for (const auto& [code, known] : kWords)
        if (known == word) return {code, std::move(sentence)};
    return {ErrorCode::PeerLost, std::move(sentence)};
}

}  // namespace lockstep::coordination
