// SPDX-License-Identifier: Apache-2.0
// Small data sets in MNIST's files, and what can be wrong with them.
#pragma once

#include <zlib.h>

#include <QByteArray>
#include <QtEndian>

#include "tests/integration/workplace.h"

namespace lockstep::tests {

inline void appendBigEndian(QByteArray& bytes, quint32 value) {
    char text[4];
    qToBigEndian(value, text);
    bytes.append(text, sizeof text);
}

inline QByteArray idxImages(quint32 count) {
    QByteArray bytes;
    for (const quint32 word : {quint32{0x803}, count, quint32{8}, quint32{8}})
        appendBigEndian(bytes, word);
    for (quint32 i = 0; i < count * 64; ++i)
        bytes.append(static_cast<char>(i * 7 + i / 64));
    return bytes;
}

inline QByteArray idxLabels(quint32 count) {
    QByteArray bytes;
    appendBigEndian(bytes, 0x801);
    appendBigEndian(bytes, count);
    for (quint32 i = 0; i < count; ++i)
        bytes.append(static_cast<char>(i % 10));
    return bytes;
}

/// 200 training and 50 test samples, 8 x 8, in DIR/data.
inline void writeIdxData(const Workplace& place) {
    QDir().mkpath(place.path("data"));
    place.write("data/train-images-idx3-ubyte", idxImages(200));
    place.write("data/train-labels-idx1-ubyte", idxLabels(200));
    place.write("data/t10k-images-idx3-ubyte", idxImages(50));
    place.write("data/t10k-labels-idx1-ubyte", idxLabels(50));
}

/// As `gzip` packs it.
inline QByteArray gzipped(const QByteArray& content) {
    z_stream stream{};
    constexpr int kGzip = 15 + 16;
    deflateInit2(&stream, 9, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
    QByteArray packed(
        static_cast<int>(deflateBound(&stream, static_cast<uLong>(content.size()))) + 32, '\0');
    QByteArray input = content;
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(static_cast<int>(stream.total_out));
    deflateEnd(&stream);
    return packed;
}

}  // namespace lockstep::tests
