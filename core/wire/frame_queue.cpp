// SPDX-License-Identifier: Apache-2.0
#include "core/wire/frame_queue.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/base/file.h"

namespace lockstep::wire {

namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kReadBytes = 64 << 10;
constexpr int kReadsPerCall = 16;  ///< A flood of one descriptor must not starve the others.

bool isTransient(int error) {
    return error == EAGAIN || error == EWOULDBLOCK;
}

std::size_t lengthAt(const std::string& bytes, std::size_t position) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        length |= std::size_t{static_cast<unsigned char>(bytes[position + i])} << (8 * i);
    return length;
}

/// Forgets what was dealt with, when it is worth the copying.
void compact(std::string& bytes, std::size_t& position) {
    if (position < bytes.size() && position < kReadBytes) return;
    bytes.erase(0, position);
    position = 0;
}

}  // namespace

Result<bool> FrameReader::fill(int fd) {
    std::array<char, kReadBytes> buffer;
    for (int reads = 0; reads < kReadsPerCall; ++reads) {
        // Before reading: it may have come with the end of the frame before it.
        const bool announced = bytes_.size() - position_ >= kLengthBytes;
        if (announced && lengthAt(bytes_, position_) > kMaxFrameBytes)
            return fail(ErrorCode::Corrupt,
                        fmt::format("a frame announces {} bytes, the limit is {}",
                                    lengthAt(bytes_, position_), kMaxFrameBytes));
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got == 0) return false;
        if (got < 0) {
            if (errno == EINTR) continue;
            if (isTransient(errno)) return true;
            return fail(ErrorCode::Io, "reading a message: " + errnoText());
        }
        bytes_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return true;
}

bool FrameReader::hasWhole() const {
    const std::size_t there = bytes_.size() - position_;
    return there >= kLengthBytes && there - kLengthBytes >= lengthAt(bytes_, position_);
}

std::optional<std::string> FrameReader::next() {
    if (!hasWhole()) return std::nullopt;
    const std::size_t length = lengthAt(bytes_, position_);
    std::string frame = bytes_.substr(position_ + kLengthBytes, length);
    position_ += kLengthBytes + length;
    compact(bytes_, position_);
    return frame;
}

Result<void> FrameWriter::push(std::string_view bytes) {
    if (bytes.size() > kMaxFrameBytes)
        return fail(ErrorCode::BadInput, fmt::format("a frame of {} bytes is above the limit of {}",
                                                     bytes.size(), kMaxFrameBytes));
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        bytes_ += static_cast<char>((bytes.size() >> (8 * i)) & 0xff);
    bytes_ += bytes;
    return {};
}

Result<void> FrameWriter::flush(int fd) {
    while (pending() > 0) {
        const ssize_t count = ::write(fd, bytes_.data() + position_, pending());
        if (count >= 0) {
            position_ += static_cast<std::size_t>(count);
            continue;
        }
        if (errno == EINTR) continue;
        if (isTransient(errno)) break;
        if (errno == EPIPE)
            return fail(ErrorCode::PeerLost, "writing a message: the reader has closed its end");
        return fail(ErrorCode::Io, "writing a message: " + errnoText());
    }
    compact(bytes_, position_);
    return {};
}

}  // namespace lockstep::wire
