// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden_file.h"

#include <fstream>
#include <sstream>

#include "core/base/check.h"

namespace lockstep::testing {
namespace {

std::vector<std::size_t> parseShape(const std::string& text) {
    std::vector<std::size_t> shape;
    std::istringstream extents(text);
    for (std::string extent; std::getline(extents, extent, 'x');)
        shape.push_back(std::stoul(extent));
    return shape;
}

}  // namespace

GoldenFile::GoldenFile(const std::filesystem::path& path) {
    std::ifstream file(path);
    LS_CHECK(file.is_open(), "the golden file cannot be opened");
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words(line);
        std::string name;
        std::string shape;
        words >> name >> shape;
        Tensor tensor{.shape = parseShape(shape), .values = {}};
        for (double value = 0; words >> value;)
            tensor.values.push_back(value);
        std::size_t count = 1;
        for (const std::size_t extent : tensor.shape)
            count *= extent;
        LS_CHECK(count == tensor.values.size(), "a golden tensor's values do not fill its shape");
        tensors_.emplace(std::move(name), std::move(tensor));
    }
}

const GoldenFile::Tensor& GoldenFile::at(const std::string& name) const {
    const auto found = tensors_.find(name);
    LS_CHECK(found != tensors_.end(), name.c_str());
    return found->second;
}

}  // namespace lockstep::testing
