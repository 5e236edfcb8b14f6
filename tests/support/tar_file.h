// SPDX-License-Identifier: Apache-2.0
// Archives as tar writes them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::tests {

/// One entry of ustar.
inline std::string tarEntry(const std::string& name, const std::string& content, char kind = '0',
                            const std::string& link = {}) {
    std::string block(512, '\0');
    const auto put = [&block](std::size_t at, const std::string& text) {
        block.replace(at, text.size(), text);
    };
    const auto octal = [](std::uint64_t number, std::size_t digits) {
        std::string text(digits, '0');
        for (std::size_t i = digits; i-- > 0; number /= 8)
            text[i] = static_cast<char>('0' + number % 8);
        return text;
    };
    put(0, name.substr(0, 100));
    put(100, "0000644");
    put(124, octal(content.size(), 11));
    put(136, octal(0, 11));
    put(148, std::string(8, ' '));
    block[156] = kind;
    put(157, link.substr(0, 100));
    put(257, "ustar");
    put(263, "00");
    std::uint64_t sum = 0;
    for (const char c : block)
        sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6));
    block[154] = '\0';
    return block + content + std::string((512 - content.size() % 512) % 512, '\0');
}

inline std::string tarOf(const std::vector<std::pair<std::string, std::string>>& files) {
    std::string archive;
    for (const auto& [name, content] : files)
        archive += tarEntry(name, content);
    return archive + std::string(1024, '\0');
}

}  // namespace lockstep::tests
