// SPDX-License-Identifier: Apache-2.0
#include "core/model/description/check_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/model/description/entry_reader.h"
#include "core/model/description/parameters.h"

namespace lockstep::model {

namespace {

/// The names that a list of layers has given so far: one scope for the model, one for each block.
struct Scope {
    std::set<std::string> names;
    bool isBlock = false;

    [[nodiscard]] bool knows(const std::string& name) const {
        return name == "data" || name.starts_with("data.") || (isBlock && name == "input") ||
               names.contains(name);
    }
    [[nodiscard]] std::vector<std::string> all() const {
        std::vector<std::string> list{"data"};
        if (isBlock) list.emplace_back("input");
        list.insert(list.end(), names.begin(), names.end());
        return list;
    }
};

class Checker {
public:
    explicit Checker(const Description& description) : description_(description) {
        for (const Block& block : description.blocks) {
            blockNames_.push_back(block.name);
            parameters_[block.name] = parametersOf(block.layers);
        }
    }

    Problems check() {
        Scope ofModel;
        checkList(description_.layers, ofModel);
        for (const Block& block : description_.blocks) {
            Scope ofBlock{.names = {}, .isBlock = true};
            checkList(block.layers, ofBlock);
            std::vector<std::string> path{block.name};
            if (seen_.insert(block.name).second) findCycle(block.layers, path);
        }
        return std::move(problems_);
    }

private:
    void checkList(const std::vector<Entry>& entries, Scope& scope) {
        for (const Entry& entry : entries) {
            for (const InputName& input : entry.inputs)
                if (!scope.knows(input.name)) addUnknownName(input, scope);
            if (entry.kind == Entry::Kind::BlockUse) checkUse(entry);
            checkList(entry.layers, scope);
            checkList(entry.shortcut, scope);
            if (!entry.name.empty() && !scope.names.insert(entry.name).second)
                add(entry.place, fmt::format("is a second one with the name \"{}\"", entry.name),
                    "Choose another name; tensors are called after it.");
        }
    }

    void addUnknownName(const InputName& input, const Scope& scope) {
        const std::vector<std::string> names = scope.all();
        add(input.place,
            fmt::format("is \"{}\", but no earlier layer of this list has that name{}",
                        sanitizeLine(input.name, 60), didYouMean(input.name, names)),
            fmt::format("The names there are: {}.", joinWords(names)));
    }

    void checkUse(const Entry& use) {
        const Block* block = description_.findBlock(use.type);
        if (block == nullptr) {
            add(use.typePlace,
                fmt::format("is \"{}\", but there is no such block{}", sanitizeLine(use.type, 60),
                            didYouMean(use.type, blockNames_)),
                blockNames_.empty() ? "Describe it in [model.blocks.NAME]."
                                    : fmt::format("The blocks are {}.", joinWords(blockNames_)));
            return;
        }
        const std::set<std::string>& wanted = parameters_[block->name];
        const std::vector<std::string> names(wanted.begin(), wanted.end());
        for (const Option& given : use.options)
            if (!wanted.contains(given.name)) {
                const std::string name = sanitizeLine(given.name, 60);
                add({use.place.path + "." + name, given.value.line, given.value.column},
                    fmt::format("is not a parameter of block \"{}\"{}", block->name,
                                didYouMean(given.name, names)),
                    names.empty()
                        ? std::string("Remove it; the block has no parameters.")
                        : fmt::format("Remove it; the parameters are {}.", joinWords(names)));
            }
        for (const std::string& name : names)
            if (use.find(name) == nullptr)
                add(use.place,
                    fmt::format("gives no {0}, but block \"{1}\" asks for \"${0}\"",
                                sanitizeLine(name, 60), block->name),
                    fmt::format("Give {} = ….", sanitizeLine(name, 60)));
    }

    /// `path`: the blocks that lead to these entries, each within the one before it.
    void findCycle(const std::vector<Entry>& entries, std::vector<std::string>& path) {
        for (const Entry& entry : entries) {
            findCycle(entry.layers, path);
            findCycle(entry.shortcut, path);
            const Block* block =
                entry.kind == Entry::Kind::BlockUse ? description_.findBlock(entry.type) : nullptr;
            if (block == nullptr) continue;
            if (std::ranges::find(path, block->name) != path.end()) {
                add(entry.typePlace,
                    fmt::format(
                        "is \"{}\", which contains itself{}", block->name,
                        path.back() == block->name ? std::string() : " by way of " + path.back()),
                    "A block is made of layers and of other blocks; use repeat for several.");
            } else if (seen_.insert(block->name).second) {
                path.push_back(block->name);
                findCycle(block->layers, path);
                path.pop_back();
            }
        }
    }

    void add(const Place& place, std::string message, std::string remedy) {
        problems_.push_back({place, std::move(message), std::move(remedy)});
    }

    const Description& description_;
    std::vector<std::string> blockNames_;
    std::map<std::string, std::set<std::string>> parameters_;
    std::set<std::string> seen_;  ///< Blocks that were gone into.
    Problems problems_;
};

}  // namespace

Problems checkReferences(const Description& description) {
    return Checker(description).check();
}

}  // namespace lockstep::model
