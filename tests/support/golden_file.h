// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lockstep::testing {

/// A text file of named tensors as tests/golden/*.py write it: "name AxB v v v …" a line,
/// '#' begins a comment.
class GoldenFile {
public:
    struct Tensor {
        std::vector<std::size_t> shape;
        std::vector<double> values;
    };

    explicit GoldenFile(const std::filesystem::path& path);

    /// Aborts the test program when the file has no such tensor.
    [[nodiscard]] const Tensor& at(const std::string& name) const;

private:
    std::map<std::string, Tensor> tensors_;
};

}  // namespace lockstep::testing
