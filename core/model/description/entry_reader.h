// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/description/description.h"
#include "core/model/description/layer_table.h"

namespace lockstep::model {

/// ", did you mean filters?", or nothing.
[[nodiscard]] std::string didYouMean(std::string_view word,
                                     const std::vector<std::string>& candidates);

/// Reads lists of layers, and collects what is wrong with them.
class EntryReader {
public:
    /// `defaults`: where an option that must be given may be given, too.
    explicit EntryReader(const std::vector<Defaults>& defaults) : defaults_(defaults) {}

    /// `path`: of the list. In a block, options may be "$name".
    [[nodiscard]] std::vector<Entry> readList(const config::TomlValue& list,
                                              const std::string& path, bool inBlock);
    /// An option of `type`; true when it is one and fits.
    bool readOption(const config::TomlEntry& written, const LayerType& type,
                    const std::string& path, bool inBlock, std::vector<Option>& options);
    void add(const std::string& path, int line, int column, std::string message,
             std::string remedy);
    void add(const std::string& path, const config::TomlValue& value, std::string message,
             std::string remedy);

    [[nodiscard]] Problems take() { return std::move(problems_); }

private:
    [[nodiscard]] Entry readEntry(const config::TomlValue& table, const std::string& path,
                                  bool inBlock);
    void readLayer(const config::TomlValue& table, bool inBlock, Entry& entry);
    void readResidual(const config::TomlValue& table, bool inBlock, Entry& entry);
    void readUse(const config::TomlValue& table, bool inBlock, Entry& entry);
    /// name, input, inputs; true when the key is one of these.
    bool readCommon(const config::TomlEntry& written, Entry& entry);
    void readName(const config::TomlValue& value, Entry& entry);
    void readInputs(const config::TomlEntry& written, Entry& entry);
    void checkInputs(const LayerType& type, const Entry& entry);
    void checkRequired(const LayerType& type, const Entry& entry);

    const std::vector<Defaults>& defaults_;
    Problems problems_;
    int depth_ = 0;  ///< Of residuals within residuals.
};

}  // namespace lockstep::model
