// SPDX-License-Identifier: Apache-2.0
// group_checkpoints.cpp: tensors of a program's own, which its processes share, kept in checkpoints
// that they write together. Start it once for each process (KERAS_DISTRIBUTION_*), or alone with
// "1"; started again it goes on from the newest checkpoint, on as many processes as there are then.
//   group_checkpoints FOLDER [1]
#include <iostream>

#include "core/distribution/devices.h"
#include "core/distribution/initialize.h"
#include "core/fit/checkpoints.h"

using namespace lockstep;

int failed(const Error& error) {
    std::cerr << "error: " << error.message << "\n  " << error.remedy << "\n";
    return 1;
}

int main(int argc, char** argv) {
    if (argc < 2) return failed({ErrorCode::BadInput, "name a folder that all processes see", ""});
    if (argc < 3)
        if (auto formed = distribution::initialize(); !formed) return failed(formed.error());

    // The rows of a table lie on the devices of all processes.
    const auto devices = distribution::listDevices("cpu");
    if (!devices) return failed(devices.error());
    const int count = static_cast<int>(devices->size());
    const auto mesh = distribution::DeviceMesh::make({count}, {"rows"}, *devices);
    if (!mesh) return failed(mesh.error());
    const auto layout = distribution::TensorLayout::make({"rows"}, *mesh);
    if (!layout) return failed(layout.error());

    auto checkpoints = fit::Checkpoints::open(argv[1]);
    if (!checkpoints) return failed(checkpoints.error());
    // Each process reads the rows of its own devices.
    const auto found = checkpoints->loadNewest({{"table", *layout}});
    if (!found) return failed(found.error());

    std::int64_t step = 0;
    auto table =
        fit::distributeTensor(*fit::Tensor::make(std::vector<float>(24 * 4), {24, 4}), *layout);
    if (*found) {
        step = (*found)->step;
        table = std::get<fit::DistributedTensor>((*found)->tensors.at("table"));
    }
    if (!table) return failed(table.error());

    // Where a step would compute, every number grows by one, on the device that has it.
    auto parts = table->parts();
    for (auto& [device, part] : parts) {
        auto numbers = part.values<float>();
        for (float& number : numbers)
            number += 1;
        part = *fit::Tensor::make(numbers, part.shape());
    }
    ++step;
    const auto grown = fit::DistributedTensor::ofParts(
        table->type(), table->shape(), *layout, parts, "table of step " + std::to_string(step));
    if (!grown) return failed(grown.error());

    if (auto saved = checkpoints->save(step, {{"table", *grown}}); !saved)
        return failed(saved.error());
    const auto whole = grown->whole();
    if (!whole) return failed(whole.error());
    double sum = 0;
    for (const float number : whole->values<float>())
        sum += number;
    std::cout << "step " << step << ", sum " << sum << ", on " << distribution::processCount()
              << " processes\n";
    const auto left = distribution::shutdown();
    return left ? 0 : failed(left.error());
}
