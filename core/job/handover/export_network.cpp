// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/export_network.h"

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/job/handover/opened_network.h"
#include "core/train/handover/export_network.h"

namespace lockstep::job {

Result<ExportedNetwork> exportNetwork(const NetworkPlace& place, NetworkFormat format,
                                      const std::filesystem::path& file) {
    std::vector<std::string> remarks;
    const auto saved = TRY(openNetwork(
        place, [&remarks](const std::string& sentence) { remarks.push_back(sentence); }));
    const std::string bytes = TRY(format == NetworkFormat::Onnx ? train::exportOnnx(saved)
                                                                : train::exportSafetensors(saved));
    TRY(replaceFileDurably(file, bytes));
    return ExportedNetwork{saved.state.step, bytes.size(), std::move(remarks)};
}

}  // namespace lockstep::job
