// SPDX-License-Identifier: Apache-2.0
#include "core/wire/codec.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <type_traits>

namespace lockstep::wire {

namespace {

/// Protobuf reports what it cannot parse on standard error, which belongs to the programs.
const bool kProtobufIsSilent = [] {
    google::protobuf::SetLogHandler(nullptr);
    return true;
}();

template <typename Message>
constexpr bool kIsRecord = std::is_same_v<Message, Record>;

template <typename Message>
constexpr std::size_t kLimit = kIsRecord<Message> ? kMaxRecordBytes : kMaxMessageBytes;

/// Length of the UTF-8 sequence at the beginning of `text`; 0 when it is not valid.
std::size_t utf8SequenceLength(std::string_view text) {
    const auto byteAt = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byteAt(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                               : lead >= 0xe0 && lead <= 0xef ? 3
                               : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                              : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byteAt(i) & 0xc0) != 0x80) return 0;
    }
    const unsigned char second = byteAt(1);
    const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool surrogate = lead == 0xed && second > 0x9f;
    const bool beyondUnicode = lead == 0xf4 && second > 0x8f;
    return overlong || surrogate || beyondUnicode ? 0 : length;
}

}  // namespace

namespace {

template <typename Message>
Result<void> decodeInto(std::string_view bytes, Message& message) {
    if (bytes.size() > kLimit<Message>)
        return fail(ErrorCode::Corrupt,
                    fmt::format("a message of {} bytes is above the limit of {}", bytes.size(),
                                kLimit<Message>));
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return fail(ErrorCode::Corrupt,
                    fmt::format("a message of {} bytes does not parse", bytes.size()));
    if constexpr (!kIsRecord<Message>) {
        if (message.protocol() != kProtocol)
            return fail(ErrorCode::BadInput,
                        fmt::format("the peer speaks protocol {}, this program speaks {}",
                                    message.protocol(), kProtocol),
                        "Install the same version of Lockstep on every host.");
    }
    return {};
}

}  // namespace

template <typename Message>
Result<Message> decode(std::string_view bytes) {
    Message message;
    if (auto decoded = decodeInto(bytes, message); !decoded)
        return fail(std::move(decoded.error()));
    return message;
}

template <typename Message>
Result<const Message*> decode(std::string_view bytes, Scratch& scratch) {
    auto* const message = google::protobuf::Arena::CreateMessage<Message>(&scratch.arena());
    if (auto decoded = decodeInto(bytes, *message); !decoded)
        return fail(std::move(decoded.error()));
    return message;
}

template <typename Message>
// NOLINTNEXTLINE(performance-unnecessary-value-param): stamped, where it is no record.
Result<std::string> encode(Message message) {
    if constexpr (!kIsRecord<Message>) message.set_protocol(kProtocol);
    std::string bytes = message.SerializeAsString();
    if (bytes.size() > kLimit<Message>)
        return fail(ErrorCode::BadInput,
                    fmt::format("a message of {} bytes is above the limit of {}", bytes.size(),
                                kLimit<Message>));
    return bytes;
}

template Result<ToCoordinator> decode(std::string_view);
template Result<FromCoordinator> decode(std::string_view);
template Result<FromMonitor> decode(std::string_view);
template Result<Record> decode(std::string_view);
template Result<const ToCoordinator*> decode(std::string_view, Scratch&);
template Result<const Record*> decode(std::string_view, Scratch&);
template Result<std::string> encode(ToCoordinator);
template Result<std::string> encode(FromCoordinator);
template Result<std::string> encode(FromMonitor);
template Result<std::string> encode(Record);

std::string validUtf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8SequenceLength(text);
        if (length == 0)
            valid += '?';
        else
            valid += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return valid;
}

}  // namespace lockstep::wire
