// SPDX-License-Identifier: Apache-2.0
// Frames over descriptors that must not be waited for.
#include <fcntl.h>
#include <unistd.h>

#include <QtTest>

#include "core/base/file.h"
#include "core/base/thread.h"
#include "core/wire/frame_queue.h"

using namespace lockstep;
using namespace lockstep::wire;

namespace {

struct Pipe {
    UniqueFd read;
    UniqueFd write;
    Pipe() {
        int fds[2] = {-1, -1};
        if (::pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) qFatal("no pipe");
        read.reset(fds[0]);
        write.reset(fds[1]);
    }
};

std::string header(std::size_t length) {
    std::string bytes;
    for (int i = 0; i < 4; ++i)
        bytes += static_cast<char>((length >> (8 * i)) & 0xff);
    return bytes;
}

}  // namespace

class FrameQueueTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { ignoreSigpipe(); }

    void framesComeOutAsTheyWentInAlsoEmptyOnes() {
        const Pipe pipe;
        FrameWriter writer;
        for (const std::string& frame : {std::string("one"), std::string(), std::string("3\0", 2)})
            QVERIFY(writer.push(frame).has_value());
        QCOMPARE(writer.pending(), std::size_t(3 * 4 + 3 + 2));
        QVERIFY(writer.flush(pipe.write.get()).has_value());
        QCOMPARE(writer.pending(), std::size_t(0));
        FrameReader reader;
        QCOMPARE(reader.fill(pipe.read.get()).value(), true);
        QCOMPARE(reader.next().value(), std::string("one"));
        QCOMPARE(reader.next().value(), std::string());
        QCOMPARE(reader.next().value(), std::string("3\0", 2));
        QVERIFY(!reader.next() && !reader.hasWhole());
    }
    void aFrameThatComesInBytesIsThereWithItsLast() {
        const Pipe pipe;
        FrameReader reader;
        const std::string bytes = header(300) + std::string(300, 'x');
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            QVERIFY(!reader.hasWhole() && !reader.next());
            QVERIFY(writeAll(pipe.write.get(), bytes.substr(i, 1)).has_value());
            QCOMPARE(reader.fill(pipe.read.get()).value(), true);
        }
        QVERIFY(reader.hasWhole());
        QCOMPARE(reader.next().value(), std::string(300, 'x'));
    }
    void aReaderThatLagsHoldsNobodyUpAndGetsAllInTheEnd() {
        const Pipe pipe;
        FrameWriter writer;
        FrameReader reader;
        constexpr int kFrames = 40;
        for (int i = 0; i < kFrames; ++i)
            QVERIFY(writer.push(std::string(50'000, static_cast<char>('A' + i))).has_value());
        QVERIFY(writer.flush(pipe.write.get()).has_value());  // takes what the pipe holds
        QVERIFY(writer.pending() > 1'000'000);
        int next = 0;
        for (int turn = 0; turn < 1000 && next < kFrames; ++turn) {
            QCOMPARE(reader.fill(pipe.read.get()).value(), true);
            while (const auto frame = reader.next())
                QCOMPARE(*frame, std::string(50'000, static_cast<char>('A' + next++)));
            QVERIFY(writer.flush(pipe.write.get()).has_value());
        }
        QCOMPARE(next, kFrames);
        QCOMPARE(writer.pending(), std::size_t(0));
    }
    void theEndOfTheStreamIsToldAndWhatCameBeforeIsKept() {
        Pipe pipe;
        QVERIFY(writeAll(pipe.write.get(), header(4) + "last" + header(9) + "cut").has_value());
        pipe.write.reset();
        FrameReader reader;
        QCOMPARE(reader.fill(pipe.read.get()).value(), false);
        QCOMPARE(reader.next().value(), std::string("last"));
        QVERIFY(!reader.next());
    }
    void aFrameAboveTheLimitIsRefusedBothWays() {
        FrameWriter writer;
        QCOMPARE(writer.push(std::string(kMaxFrameBytes + 1, 'x')).error().code,
                 ErrorCode::BadInput);
        QCOMPARE(writer.pending(), std::size_t(0));
        for (const bool behindAnother : {false, true}) {
            const Pipe pipe;
            FrameReader reader;
            const std::string before = behindAnother ? header(2) + "ok" : "";
            QVERIFY(writeAll(pipe.write.get(), before + header(kMaxFrameBytes + 1)).has_value());
            std::optional<ErrorCode> refused;
            for (int look = 0; look < 2 && !refused; ++look) {
                if (const auto open = reader.fill(pipe.read.get()); !open)
                    refused = open.error().code;
                if (const auto frame = reader.next()) QCOMPARE(*frame, std::string("ok"));
            }
            QCOMPARE(refused.value_or(ErrorCode::Internal), ErrorCode::Corrupt);
        }
    }
    void whoHasClosedItsEndIsLost() {
        Pipe pipe;
        pipe.read.reset();
        FrameWriter writer;
        QVERIFY(writer.push("lost").has_value());
        QCOMPARE(writer.flush(pipe.write.get()).error().code, ErrorCode::PeerLost);
    }
};

QTEST_GUILESS_MAIN(FrameQueueTest)
#include "tst_frame_queue.moc"
