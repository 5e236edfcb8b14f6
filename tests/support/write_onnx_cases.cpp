// SPDX-License-Identifier: Apache-2.0
// write_onnx_cases FOLDER COUNT: random networks as ONNX files, each with a batch (K.data, K.rows)
// and with what the reference computes of it (K.output): float32, channels last.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/exchange/onnx/encode_onnx.h"
#include "tests/core/exchange/drawn_tensors.h"
#include "tests/support/graph_values.h"
#include "tests/support/program_case.h"
#include "tests/support/random_graph.h"

namespace {

using namespace lockstep;

void write(const std::filesystem::path& path, const void* bytes, std::size_t size) {
    std::ofstream(path, std::ios::binary)
        .write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::filesystem::path folder(argv[1]);
    const long count = std::strtol(argv[2], nullptr, 10);
    for (long i = 0; i < count; ++i) {
        const auto seed = static_cast<std::uint64_t>(i);
        const auto drawn = testing::drawCase(testing::makeRandomGraph(seed), 3, seed);
        if (!drawn) continue;
        const auto bytes = exchange::encodeOnnx(
            drawn->graph, tests::DrawnTensors(drawn->graph, drawn->values).tensors(),
            {.name = "case", .version = "0"});
        if (!bytes) return 1;
        const auto pass = drawn->reference(false).run(testing::exactly(drawn->graph, drawn->values),
                                                      drawn->samples, drawn->rows);
        const std::vector<float> output(pass.output.begin(), pass.output.end());
        const std::string name = std::to_string(i);
        write(folder / (name + ".onnx"), bytes->data(), bytes->size());
        write(folder / (name + ".data"), drawn->samples.data(),
              drawn->samples.size() * sizeof(float));
        write(folder / (name + ".output"), output.data(), output.size() * sizeof(float));
    }
    return 0;
}
