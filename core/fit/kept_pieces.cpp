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
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/checkpoint/layout.h"
#include "core/distribution/initialize.h"
#include "core/distribution/tensor_part.h"
#include "core/fit/group_agreement.h"
#include "core/fit/part_owners.h"
#include "core/text/json.h"

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
            add(name, tensor.type(), tensor.shape(), bytesOf(tensor), {}, 0);
    }

    Result<void> deal(const std::string& name, const DistributedTensor& tensor) {
        pieces_.identity +=
            fmt::format("{} {} {} {} {} {}\n", name, static_cast<int>(tensor.type()),
                        fmt::join(tensor.shape(), "x"), tensor.layout().text(),
                        tensor.layout().mesh().text(), tensor.identity());
        const auto owners = TRY(partOwners(tensor.layout(), tensor.shape()));
        if (std::ranges::find(tensor.shape(), 0) != tensor.shape().end()) {  // one piece is enough
            if (owners.front().process == distribution::processId())
                add(name, tensor.type(), tensor.shape(), {}, {}, 0);
            return {};
        }
        TRY(noteCopies(name, tensor, owners));
        int own = 0;
        for (const PartOwner& owner : owners) {
            if (owner.process != distribution::processId()) continue;
            const auto part = tensor.parts().find(owner.device);
            if (part == tensor.parts().end()) return ofAnotherGroup(owner.device);
            add(name, tensor.type(), part->second.shape(), bytesOf(part->second), owner.part.begin,
                own++);
        }
        return {};
    }

    [[nodiscard]] KeptPieces take() { return std::move(pieces_); }

private:
    Result<void> noteCopies(const std::string& name, const DistributedTensor& tensor,
                            const std::vector<PartOwner>& owners) {
        const auto isShared = [](const PartOwner& owner) { return owner.copies > 1; };
        if (std::ranges::none_of(owners, isShared)) return {};
        pieces_.hasCopies = true;
        for (const auto& [device, part] : tensor.parts()) {
            const auto place = TRY(distribution::partOf(tensor.layout(), tensor.shape(), device));
            const auto owner = std::ranges::find(owners, place, &PartOwner::part);
            if (!isShared(*owner)) continue;
            const auto [known, isNew] = pieces_.copies.try_emplace(
                fmt::format("{} {}", owner - owners.begin(), name), contentHash(bytesOf(part)));
            if (!isNew && known->second != contentHash(bytesOf(part)))
                return fail(ErrorCode::BadInput,
                            fmt::format("{} holds a part alike with another device, but with other "
                                        "numbers",
                                        device));
        }
        return {};
    }

    /// `begin`: empty where all begins at 0.
    void add(const std::string& name, NumberType type, const std::vector<std::uint64_t>& shape,
             std::string_view bytes, const std::vector<std::uint64_t>& begin, int own) {
        pieces_.files[distribution::processId() + 1 + own * processes_].push_back(
            {{name, dtypeOf(type), asSigned(shape), bytes}, asSigned(begin)});
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
        if (!text::fitsJson(name))
            return fail(ErrorCode::BadInput,
                        fmt::format("a tensor's name is not UTF-8: {}", sanitizeLine(name)));
        if (const auto* whole = std::get_if<Tensor>(&tensor))
            dealer.deal(name, *whole);
        else if (auto dealt = dealer.deal(name, std::get<DistributedTensor>(tensor)); !dealt)
            return failWithin(name, dealt.error());
    }
    return dealer.take();
}

Result<void> agreeOnCopies(const KeptPieces& pieces, double timeoutSeconds) {
    if (!pieces.hasCopies) return {};
    const auto all = TRY(gatherTexts(text::Json(pieces.copies).text(), timeoutSeconds));
    std::map<std::string, std::pair<std::size_t, std::string>> firsts;  // process and hash
    for (std::size_t process = 0; process < all.size(); ++process) {
        const auto parsed = TRY(text::parseJson(all[process], all[process].size()));
        for (const auto& [part, digits] : parsed.members()) {
            const auto hash = digits.as<std::string>().value_or("");
            const auto& first = firsts.try_emplace(part, process, hash).first->second;
            if (first.second == hash) continue;
            return fail(ErrorCode::BadInput,
                        fmt::format("process {} has other numbers than process {} in a part of {} "
                                    "that both hold",
                                    process, first.first, part.substr(part.find(' ') + 1)),
                        "Where several devices hold a part, all of them must compute it alike.");
        }
    }
    return {};
}

Result<checkpoint::FileRecords> writePieces(const std::filesystem::path& folder,
                                            const KeptPieces& pieces) try {
    checkpoint::FileRecords records;
    for (const auto& [number, file] : pieces.files)
        TRY(checkpoint::writeShard(folder, checkpoint::kModelFolder, number, file, records));
    return records;
} catch (const std::exception& error) {  // out of memory
    return fail(ErrorCode::Unavailable, error.what());
}

}  // namespace lockstep::fit
