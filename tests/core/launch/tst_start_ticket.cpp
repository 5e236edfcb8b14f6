// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <QtTest>
#include <filesystem>
#include <fstream>
#include <future>

#include "core/base/host_address.h"
#include "core/config/document/job_file.h"
#include "core/coordination/ticket/start_ticket.h"
#include "core/launch/agent/job_difference.h"
#include "core/launch/agent/scheduled_member.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace lockstep::launch;
namespace fs = std::filesystem;

namespace {

wire::StartTicket ticketOf(const std::string& runId) {
    wire::StartTicket ticket;
    ticket.set_run_id(runId);
    ticket.add_members()->set_user("worker-1");
    return ticket;
}

}  // namespace

class StartTicketTest : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    fs::path folder_;

private slots:
    void init() { folder_ = fs::path(dir_.path().toStdString()) / QTest::currentTestFunction(); }

    void whatIsWrittenIsReadAndOnlyTheUserCan() {
        const fs::path file = folder_ / "slurm-7.0-0.key";
        const auto lock = writeTicket(file, ticketOf("a"));
        QVERIFY(lock.has_value());
        struct stat status {};
        QCOMPARE(::stat(file.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777u, 0600u);
        QCOMPARE(::stat(folder_.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777u, 0700u);
        const auto read = readTicket(file);
        QVERIFY(read && *read);
        QCOMPARE((*read)->run_id(), std::string("a"));
    }

    void anAbsentOrHalfWrittenTicketIsNotThereYet() {
        const fs::path file = folder_ / "a.key";
        auto read = readTicket(file);
        QVERIFY(read && !*read);
        QVERIFY(writeTicket(file, ticketOf("a")).has_value());
        fs::resize_file(file, fs::file_size(file) - 1);
        read = readTicket(file);
        QVERIFY(read && !*read);
        fs::resize_file(file, 2);
        read = readTicket(file);
        QVERIFY(read && !*read);
    }

    void aLivingProcess0KeepsItsTicketAndADeadOnesIsReplaced() {
        const fs::path file = folder_ / "a.key";
        auto first = writeTicket(file, ticketOf("first"));
        QVERIFY(first.has_value());
        const auto second = writeTicket(file, ticketOf("second"));
        QVERIFY(!second);
        QCOMPARE(second.error().code, ErrorCode::Unavailable);
        QVERIFY(second.error().message.find("another process 0") != std::string::npos);
        first->reset();  // as the kernel does when the process ends
        QVERIFY(writeTicket(file, ticketOf("second")).has_value());
        QCOMPARE((*readTicket(file))->run_id(), std::string("second"));
    }

    void ofManyWhoReplaceADeadOnesTicketOneHasIt() {
        const fs::path file = folder_ / "a.key";
        for (int round = 0; round < 100; ++round) {
            std::atomic<int> ready{0};
            std::vector<std::future<Result<UniqueFd>>> starts;
            for (int i = 0; i < 3; ++i)
                starts.push_back(std::async(std::launch::async, [&] {
                    for (++ready; ready < 3;)
                        std::this_thread::yield();
                    return writeTicket(file, ticketOf("a"));
                }));
            int written = 0;
            std::vector<Result<UniqueFd>> locks;
            for (auto& start : starts)
                written += locks.emplace_back(start.get()) ? 1 : 0;
            QCOMPARE(written, 1);
            QVERIFY(isHeld(file));  // and its file is the one that is there
        }
    }

    void whetherItsWriterLivesIsSeenWithoutTakingItsLock() {
        const fs::path file = folder_ / "a.key";
        QVERIFY(!isHeld(file));
        auto lock = writeTicket(file, ticketOf("a"));
        QVERIFY(isHeld(file));
        QVERIFY(!writeTicket(file, ticketOf("b")));
        lock->reset();
        QVERIFY(!isHeld(file));
    }

    void aRefusalOfADeadProcess0IsNotBelieved() {
        wire::StartTicket refusal = ticketOf("a");
        refusal.set_error("no");
        refusal.set_exit_status(1);
        ScheduledMember options;
        options.ticketFile = folder_ / "a.key";
        options.job.cluster.initializationTimeoutSeconds = 0.2;
        options.say = [](const std::string&) {};
        std::atomic<bool> terminate{false};
        auto lock = writeTicket(options.ticketFile, refusal);
        const MemberEnd refused = runScheduledMember(options, terminate).end;
        QCOMPARE(refused.error, std::string("no"));
        QCOMPARE(refused.exitStatus, 1);
        lock->reset();
        QVERIFY(runScheduledMember(options, terminate).end.error.find("is missing") !=
                std::string::npos);
        options.ticketNamesStart = true;
        QCOMPARE(runScheduledMember(options, terminate).end.error, std::string("no"));
    }

    void anEarlierStartsTicketWithoutAPlaceIsGivenTimeToBeReplaced() {
        ScheduledMember options;
        options.ticketFile = folder_ / "a.key";
        options.processId = 3;
        options.job.cluster.initializationTimeoutSeconds = 20;
        options.say = [](const std::string&) {};
        auto stale = writeTicket(options.ticketFile, ticketOf("earlier"));
        stale->reset();
        std::atomic<bool> terminate{false};
        auto end = std::async(std::launch::async,
                              [&] { return runScheduledMember(options, terminate).end; });
        QCOMPARE(end.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
        wire::StartTicket refusal = ticketOf("newer");
        refusal.set_error("no");
        const auto lock = writeTicket(options.ticketFile, refusal);
        QCOMPARE(end.get().error, std::string("no"));
    }

    void anEarlierStartsTicketIsPassedOverHoweverLateProcess0Comes() {
        ScheduledMember options;
        options.ticketFile = folder_ / "a.key";
        options.processId = 3;
        options.job.cluster.initializationTimeoutSeconds = 30;
        options.say = [](const std::string&) {};
        auto stale = writeTicket(options.ticketFile, ticketOf("earlier"));
        stale->reset();
        std::atomic<bool> terminate{false};
        auto end = std::async(std::launch::async,
                              [&] { return runScheduledMember(options, terminate).end; });
        // Longer than a ticket of a living process 0 is given to be replaced.
        QCOMPARE(end.wait_for(std::chrono::seconds(4)), std::future_status::timeout);
        wire::StartTicket refusal = ticketOf("newer");
        refusal.set_error("no");
        const auto lock = writeTicket(options.ticketFile, refusal);
        QCOMPARE(end.get().error, std::string("no"));
    }

    void ticketsOfKilledProcessesAreSwept() {
        auto dead = writeTicket(folder_ / "dead.key", ticketOf("dead"));
        dead->reset();
        auto fresh = writeTicket(folder_ / "fresh.key", ticketOf("fresh"));
        fresh->reset();
        const auto living = writeTicket(folder_ / "living.key", ticketOf("living"));
        const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(5);
        for (const char* name : {"dead.key", "living.key"})
            fs::last_write_time(folder_ / name, old);
        sweepTickets(folder_);
        QVERIFY(!fs::exists(folder_ / "dead.key"));
        QVERIFY(fs::exists(folder_ / "fresh.key"));
        QVERIFY(fs::exists(folder_ / "living.key"));
    }

    void aFolderThatOthersMayWriteToHoldsNoKeys() {
        fs::create_directories(folder_);
        ::chmod(folder_.c_str(), 0775);
        const auto written = writeTicket(folder_ / "a.key", ticketOf("a"));
        QVERIFY(!written);
        QVERIFY(written.error().message.find("(mode 0775)") != std::string::npos);
        QVERIFY(!fs::exists(folder_ / "a.key"));
    }

    void aFileThatOthersMayReadOrALinkIsNotProcess0s() {
        const fs::path file = folder_ / "a.key";
        QVERIFY(writeTicket(file, ticketOf("a")).has_value());
        ::chmod(file.c_str(), 0640);
        QCOMPARE(readTicket(file).error().code, ErrorCode::Unavailable);
        ::chmod(file.c_str(), 0600);
        fs::create_symlink(file, folder_ / "link.key");
        QVERIFY(!readTicket(folder_ / "link.key"));
        QVERIFY(!writeTicket(folder_ / "link.key", ticketOf("b")));
        QCOMPARE((*readTicket(file))->run_id(), std::string("a"));
    }

    void theNodesAddressIsFoundInWhatScontrolPrints() {
        const std::string output =
            "NodeName=gpu-07 Arch=x86_64 CoresPerSocket=1\n"
            "   CPUAlloc=0 CPUTot=2 CPULoad=0.54\n"
            "   NodeAddr=10.4.0.7 NodeHostName=gpu-07 Version=22.05.8\n";
        QCOMPARE(nodeAddressIn(output), std::string("10.4.0.7"));
        QCOMPARE(nodeAddressIn("Node nowhere not found"), std::string());
    }

    void hostsAreResolvedAndUnknownOnesAreNamed() {
        QCOMPARE(addressOfHost("127.0.0.1").value(), std::string("127.0.0.1"));
        QCOMPARE(ownAddressToward("127.0.0.1"), std::string("127.0.0.1"));
        QVERIFY(isOwnAddress("127.0.0.1"));
        QVERIFY(!isOwnAddress("198.51.100.1"));
        const auto unknown = addressOfHost("no-such-host.invalid");
        QVERIFY(!unknown);
        QVERIFY(unknown.error().message.find("'no-such-host.invalid'") != std::string::npos);
    }

    void jobsMayDifferInTheirPlacesButNotInWhatIsTrained() {
        config::JobSpec job;
        job.data.dataset = "digits";
        job.model.layers.push_back({.type = "dense", .units = 10});
        config::JobSpec elsewhere = job;
        elsewhere.data.directory = "/elsewhere";
        elsewhere.cluster.numProcesses = 7;
        elsewhere.runDir = "/run";
        QVERIFY(checkSameJob(job, config::resolvedToml(elsewhere), "process 1").has_value());
        elsewhere.training.globalBatchSize = 64;
        const auto same = checkSameJob(job, config::resolvedToml(elsewhere), "process 1");
        QVERIFY(!same);
        QCOMPARE(same.error().message,
                 std::string("process 1 was given another job than process 0: "
                             "`global_batch_size = 32` here, `global_batch_size = 64` there"));
    }
};

QTEST_GUILESS_MAIN(StartTicketTest)
#include "tst_start_ticket.moc"
