// SPDX-License-Identifier: Apache-2.0
#include "core/fit/kept_pieces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/checkpoint/layout.h"
#include "core/distribution/initialize.h"
#include "core/fit/part_owners.h"

namespace lockstep::fit {

namespace {

using checkpoint::DType;

constexpr std::array kTypes{
    std::pair{NumberType::Bool, DType::Bool},   std::pair{NumberType::UInt8, DType::U8},
    std::pair{NumberType::Int8, DType::I8},     std::pair{NumberType::UInt16, DType::U16},
    std::pair{NumberType::Int16, DType::I16},   std::pair{NumberType::UInt32, DType::U32},
    std::pair{NumberType::Int32, DType::I32},   std::pair{NumberType::UInt64, DType::U64},
    std::pair{NumberType::Int64, DType::I64},   std::pair{NumberType::Float32, DType::F32},
    std::pair{NumberType::Float64, DType::F64},
};

std::vector<std::int64_t> asSigned(const std::vector<std::uint64_t>& numbers) {
    return {numbers.begin(), numbers.end()};
}

std::string_view bytesOf(const Tensor& tensor) {
    const auto& bytes = tensor.array().bytes;
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Dealer {
public:
    Dealer()
        : processes_(distribution::processCount()), bytes_(static_cast<std::size_t>(processes_)) {}

    /// All have it: who has least to write so far writes it.
    void deal(const std::string& name, const Tensor& tensor) {
        pieces_.identity +=
            fmt::format("{} {} {} {}\n", name, static_cast<int>(tensor.type()),
                        fmt::join(tensor.shape(), "x"), contentHash(bytesOf(tensor)));
        const auto least = std::ranges::min_element(bytes_);
        *least += bytesOf(tensor).size();
        if (least - bytes_.begin() == distribution::processId())
            add(name, tensor, std::vector<std::uint64_t>(tensor.shape().size()), 0);
    }

    Result<void> deal(const std::string& name, const DistributedTensor& tensor) {
        pieces_.identity += fmt::format("{} {} {} {} {}\n", name, static_cast<int>(tensor.type()),
                                        fmt::join(tensor.shape(), "x"), tensor.layout().text(),
                                        tensor.layout().mesh().text());
        int own = 0;
        for (const PartOwner& owner : TRY(partOwners(tensor.layout(), tensor.shape()))) {
            if (owner.process != distribution::processId()) continue;
            const auto part = tensor.parts().find(owner.device);
            if (part == tensor.parts().end()) return ofAnotherGroup(owner.device);
            add(name, part->second, owner.part.begin, own++);
        }
        return {};
    }

    [[nodiscard]] KeptPieces take() { return std::move(pieces_); }

private:
    void add(const std::string& name, const Tensor& part, const std::vector<std::uint64_t>& begin,
             int own) {
        if (part.isEmpty() && own > 0) return;  // of nothing one piece is enough
        pieces_.files[distribution::processId() + 1 + own * processes_].push_back(
            {{name, dtypeOf(part.type()), asSigned(part.shape()), bytesOf(part)}, asSigned(begin)});
    }

    const int processes_;
    std::vector<std::uint64_t> bytes_;
    KeptPieces pieces_;
};

}  // namespace

checkpoint::DType dtypeOf(NumberType type) {
    return std::ranges::find(kTypes, type, &std::pair<NumberType, DType>::first)->second;
}

Result<NumberType> numberTypeOf(checkpoint::DType dtype) {
    const auto* const found =
        std::ranges::find(kTypes, dtype, &std::pair<NumberType, DType>::second);
    if (found != kTypes.end()) return found->first;
    return fail(ErrorCode::BadInput,
                fmt::format("its numbers are {}, which a tensor does not hold", nameOf(dtype)));
}

Result<KeptPieces> piecesOf(const KeptTensors& tensors) {
    Dealer dealer;
    for (const auto& [name, tensor] : tensors) {
        if (const auto* whole = std::get_if<Tensor>(&tensor))
            dealer.deal(name, *whole);
        else if (auto dealt = dealer.deal(name, std::get<DistributedTensor>(tensor)); !dealt)
            return failWithin(name, dealt.error());
    }
    return dealer.take();
}

Result<checkpoint::FileRecords> writePieces(const std::filesystem::path& folder,
                                            const KeptPieces& pieces) {
    checkpoint::FileRecords records;
    for (const auto& [number, file] : pieces.files)
        TRY(checkpoint::writeShard(folder, checkpoint::kModelFolder, number, file, records));
    return records;
}

}  // namespace lockstep::fit
