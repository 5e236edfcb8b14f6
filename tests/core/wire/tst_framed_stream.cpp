// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <QtTest>
#include <thread>

#include "core/base/file.h"
#include "core/base/thread.h"
#include "core/wire/framed_stream.h"

using namespace lockstep;
using namespace lockstep::wire;

namespace {
struct Pipe {
    UniqueFd read;
    UniqueFd write;
    static Pipe make() {
        int fds[2] = {-1, -1};
        if (::pipe2(fds, O_CLOEXEC) != 0) return {};
        return {UniqueFd(fds[0]), UniqueFd(fds[1])};
    }
};
constexpr Nanos kLong = std::chrono::seconds(20);
}  // namespace

class FramedStreamTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { ignoreSigpipe(); }

    void aConfigurationSurvivesThePipe() {
        const Pipe pipe = Pipe::make();
        WorkerConfig config;
        config.set_process_id(3);
        config.mutable_keys()->set_own_secret(std::string(40, 's'));
        QVERIFY(writeMessage(pipe.write.get(), config, kLong).has_value());
        QVERIFY(writeMessage(pipe.write.get(), AgentReady(), kLong).has_value());  // empty frame
        const auto back = readMessage<WorkerConfig>(pipe.read.get(), kLong);
        QVERIFY(back.has_value());
        QCOMPARE(back->process_id(), 3U);
        QVERIFY(readMessage<AgentReady>(pipe.read.get(), kLong).has_value());
    }
    void aFrameLargerThanThePipeGoesThroughToAReader() {
        Pipe pipe = Pipe::make();
        const std::string large(kMaxFrameBytes, 'L');
        Result<void> written;
        std::jthread writer([&] { written = writeFrame(pipe.write.get(), large, kLong); });
        const auto back = readFrame(pipe.read.get(), kLong);
        writer.join();
        QVERIFY(written.has_value());
        QVERIFY(back.has_value() && *back == large);
    }
    void aFrameAboveTheLimitIsRefusedBothWays() {
        const Pipe pipe = Pipe::make();
        const auto written =
            writeFrame(pipe.write.get(), std::string(kMaxFrameBytes + 1, 'x'), kLong);
        QCOMPARE(written.error().code, ErrorCode::BadInput);
        QVERIFY(writeAll(pipe.write.get(), std::string_view("\x01\x00\x40\x00", 4)).has_value());
        QCOMPARE(readFrame(pipe.read.get(), kLong).error().code, ErrorCode::Corrupt);
    }
    void aStreamThatEndsInsideAFrameIsPeerLost() {
        Pipe pipe = Pipe::make();
        QVERIFY(writeAll(pipe.write.get(), std::string_view("\x05\0\0\0ab", 6)).has_value());
        pipe.write.reset();
        QCOMPARE(readFrame(pipe.read.get(), kLong).error().code, ErrorCode::PeerLost);
    }
    void aSilentWriterTimesOut() {
        const Pipe pipe = Pipe::make();
        QVERIFY(writeAll(pipe.write.get(), std::string_view("\x05\0", 2)).has_value());
        QCOMPARE(readFrame(pipe.read.get(), Millis(30)).error().code, ErrorCode::Timeout);
    }
    void aReaderThatDoesNotReadTimesTheWriterOut() {
        const Pipe pipe = Pipe::make();  // 64 KiB and no reader
        const auto written = writeFrame(pipe.write.get(), std::string(1 << 20, 'x'), Millis(50));
        QCOMPARE(written.error().code, ErrorCode::Timeout);
    }
    void aClosedReaderIsPeerLost() {
        Pipe pipe = Pipe::make();
        pipe.read.reset();
        QCOMPARE(writeFrame(pipe.write.get(), "x", kLong).error().code, ErrorCode::PeerLost);
    }
    void whatIsNotAMessageIsCorrupt() {
        const Pipe pipe = Pipe::make();
        QVERIFY(writeFrame(pipe.write.get(), "\xff\xff\xff", kLong).has_value());
        QCOMPARE(readMessage<AgentConfig>(pipe.read.get(), kLong).error().code, ErrorCode::Corrupt);
    }
    void nothingBehindAFrameIsTaken() {
        const Pipe pipe = Pipe::make();
        QVERIFY(writeFrame(pipe.write.get(), "one", kLong).has_value());
        QVERIFY(writeAll(pipe.write.get(), std::string_view("rest")).has_value());
        QCOMPARE(readFrame(pipe.read.get(), kLong).value_or(""), std::string("one"));
        char rest[8] = {};
        QCOMPARE(::read(pipe.read.get(), rest, sizeof rest), ssize_t{4});
    }
};

QTEST_GUILESS_MAIN(FramedStreamTest)
#include "tst_framed_stream.moc"
