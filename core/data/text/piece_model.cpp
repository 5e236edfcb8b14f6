// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/piece_model.h"

#include <cstring>
#include <optional>
#include <set>

#include "core/base/try.h"

namespace lockstep::data {

namespace {

/// A field of a message of protobuf.
struct Field {
    std::uint64_t number = 0;
    std::uint64_t value = 0;  ///< Of numbers; of 32 and 64 bits as they lie.
    std::string_view bytes{};

    [[nodiscard]] float asFloat() const {
        const auto bits = static_cast<std::uint32_t>(value);
        float number32 = 0;
        std::memcpy(&number32, &bits, sizeof number32);
        return number32;
    }
};

/// The fields of a message in their order; those that nobody knows are there, too.
class Fields {
public:
    explicit Fields(std::string_view message) : rest_(message) {}

    /// Nothing at the end, or where the bytes are no message, which isBroken() tells.
    std::optional<Field> next() {
        if (rest_.empty() || isBroken_) return std::nullopt;
        const auto tag = varint();
        Field field{.number = tag.value_or(0) >> 3};
        const bool isRead = tag && field.number > 0 && readValue(*tag & 7, field);
        isBroken_ = !isRead;
        return isRead ? std::optional(field) : std::nullopt;
    }
    [[nodiscard]] bool isBroken() const { return isBroken_; }

private:
    bool readValue(std::uint64_t wireType, Field& field) {
        if (wireType == 1) return fixed(8, field);
        if (wireType == 5) return fixed(4, field);
        if (wireType != 0 && wireType != 2) return false;
        const auto number = varint();
        if (!number) return false;
        if (wireType == 0) {
            field.value = *number;
            return true;
        }
        if (*number > rest_.size()) return false;
        field.bytes = rest_.substr(0, *number);
        rest_.remove_prefix(*number);
        return true;
    }
    bool fixed(std::size_t size, Field& field) {
        if (rest_.size() < size) return false;
        std::memcpy(&field.value, rest_.data(), size);
        rest_.remove_prefix(size);
        return true;
    }
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }

    std::string_view rest_;
    bool isBroken_ = false;
};

tl::unexpected<Error> noModel() {
    return fail(ErrorCode::BadInput, "is no SentencePiece model",
                "Name the .model file that spm_train wrote, \"bytes\" or \"characters\".");
}

bool readPiece(std::string_view message, Piece& piece) {
    Fields fields(message);
    while (const auto field = fields.next()) {
        if (field->number == 1) piece.text = field->bytes;
        if (field->number == 2) piece.score = field->asFloat();
        if (field->number == 3) {
            if (field->value < 1 || field->value > 6) return false;
            piece.type = static_cast<Piece::Type>(field->value);
        }
    }
    return !fields.isBroken() && !piece.text.empty();
}

bool readTrainer(std::string_view message, PieceModel& model) {
    Fields fields(message);
    while (const auto field = fields.next()) {
        if (field->number == 3) {
            if (field->value < 1 || field->value > 4) return false;
            model.kind = static_cast<PieceModel::Kind>(field->value);
        }
        if (field->number == 24) model.isWhitespaceSuffix = field->value != 0;
        if (field->number == 35) model.hasByteFallback = field->value != 0;
        if (field->number == 44) model.unknownSurface = field->bytes;
    }
    return !fields.isBroken();
}

bool readNormalizer(std::string_view message, PieceModel& model) {
    Fields fields(message);
    while (const auto field = fields.next()) {
        if (field->number == 2) model.charactersMap = field->bytes;
        if (field->number == 3) model.addsDummyPrefix = field->value != 0;
        if (field->number == 4) model.removesExtraWhitespace = field->value != 0;
        if (field->number == 5) model.escapesWhitespace = field->value != 0;
    }
    return !fields.isBroken();
}

/// Every piece once, an unknown one, and with fallback a piece for each byte.
bool isWhole(PieceModel& model) {
    std::set<std::string_view> texts;
    std::size_t unknowns = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < model.pieces.size(); ++i) {
        if (!texts.insert(model.pieces[i].text).second) return false;
        bytes += model.pieces[i].type == Piece::Type::Byte ? 1 : 0;
        if (model.pieces[i].type != Piece::Type::Unknown) continue;
        model.unknown = i;
        ++unknowns;
    }
    return unknowns == 1 && (!model.hasByteFallback || bytes == 256);
}

}  // namespace

Result<PieceModel> parsePieceModel(std::string_view file) {
    PieceModel model;
    Fields fields(file);
    while (const auto field = fields.next()) {
        bool isRead = true;
        if (field->number == 1) isRead = readPiece(field->bytes, model.pieces.emplace_back());
        if (field->number == 2) isRead = readTrainer(field->bytes, model);
        if (field->number == 3) isRead = readNormalizer(field->bytes, model);
        if (!isRead) return noModel();
    }
    if (fields.isBroken() || !isWhole(model)) return noModel();
    if (model.kind == PieceModel::Kind::Word)
        return fail(ErrorCode::BadInput,
                    "is a SentencePiece model of whole words, which is not read",
                    "Train one with --model_type=unigram or bpe.");
    return model;
}

}  // namespace lockstep::data
