// SPDX-License-Identifier: Apache-2.0
#include "core/data/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "core/base/check.h"
#include "core/base/try.h"

namespace lockstep::data {

namespace {

class PlainSource final : public ByteSource {
public:
    explicit PlainSource(std::string_view file) : file_(file) {}

    Result<std::size_t> read(std::span<std::uint8_t> out) override {
        const std::size_t count = std::min(out.size(), file_.size() - position_);
        if (count > 0) std::memcpy(out.data(), file_.data() + position_, count);
        position_ += count;
        return count;
    }
    Result<void> expectEnd() override {
        if (position_ != file_.size())
            return fail(ErrorCode::BadInput, "bytes follow the data that the header announces");
        return {};
    }
    std::uint64_t largestSize() const override { return file_.size(); }
    bool sizeIsExact() const override { return true; }

private:
    std::string_view file_;
    std::size_t position_ = 0;
};

class GzipSource final : public ByteSource {
public:
    explicit GzipSource(std::string_view file) : compressedBytes_(file.size()) {
        // zlib's interface predates const; it does not write to its input.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data()));
        stream_.avail_in = static_cast<uInt>(file.size());
    }
    ~GzipSource() override {
        if (ready_) inflateEnd(&stream_);
    }
    GzipSource(const GzipSource&) = delete;
    GzipSource& operator=(const GzipSource&) = delete;

    Result<void> start() {
        constexpr int kGzipWithLargestWindow = 15 + 16;
        ready_ = inflateInit2(&stream_, kGzipWithLargestWindow) == Z_OK;
        if (!ready_) return fail(ErrorCode::Unavailable, "no memory to decompress");
        return {};
    }

    Result<std::size_t> read(std::span<std::uint8_t> out) override {
        constexpr std::size_t kLargestCall = std::size_t{1} << 30;
        std::size_t filled = 0;
        while (filled < out.size() && !ended_) {
            const std::size_t wanted = std::min(out.size() - filled, kLargestCall);
            stream_.next_out = out.data() + filled;
            stream_.avail_out = static_cast<uInt>(wanted);
            const int status = inflate(&stream_, Z_NO_FLUSH);
            filled += wanted - stream_.avail_out;
            if (status == Z_STREAM_END)
                ended_ = true;
            else if (status == Z_BUF_ERROR ||
                     (status == Z_OK && stream_.avail_in == 0 && stream_.avail_out > 0))
                return fail(ErrorCode::BadInput, "the gzip data ends early");
            else if (status != Z_OK)
                return fail(ErrorCode::BadInput, std::string("the gzip data is damaged: ") +
                                                     (stream_.msg ? stream_.msg : "unknown code"));
        }
        return filled;
    }

    Result<void> expectEnd() override {
        std::uint8_t extra = 0;
        const auto more = TRY(read(std::span(&extra, 1)));
        if (more > 0)
            return fail(ErrorCode::BadInput,
                        "the gzip data unpacks to more than the header announces");
        if (stream_.avail_in > 0) return fail(ErrorCode::BadInput, "bytes follow the gzip data");
        return {};
    }

    std::uint64_t largestSize() const override {
        constexpr std::uint64_t kLargestDeflateRatio = 1032;
        return compressedBytes_ * kLargestDeflateRatio;
    }
    bool sizeIsExact() const override { return false; }

private:
    std::uint64_t compressedBytes_;
    z_stream stream_{};
    bool ready_ = false;
    bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> openByteSource(std::string_view file) {
    LS_CHECK(file.size() <= UINT32_MAX, "a byte source is below 4 GiB");
    if (!file.starts_with(kGzipMagic)) return std::make_unique<PlainSource>(file);
    auto source = std::make_unique<GzipSource>(file);
    TRY(source->start());
    return source;
}

}  // namespace lockstep::data
