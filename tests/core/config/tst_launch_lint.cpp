// SPDX-License-Identifier: Apache-2.0
// What lint says of where and how a job is started, and how long it takes to say it.
#include <QElapsedTimer>
#include <QtTest>

#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

/// The second of two ssh destinations, as it is written, and what is said of it.
struct BadHost {
    const char* name;
    const char* toml;
    const char* sentence;
};

const std::vector<BadHost> kBadHosts = {
    {"empty", R"("")", "an ssh destination is empty"},
    {"a blank", R"(" ")", "has a character"},
    {"a blank behind", R"("gpu2 ")", "has a character"},
    {"a blank before", R"(" gpu2")", "has a character"},
    {"a blank within", R"("gpu 2")", "has a character"},
    {"a tab", R"("\t")", "has a character"},
    {"a line break", R"("gpu2\n")", "has a character"},
    {"a NUL", R"("gpu\u00002")", "has a character"},
    {"a carriage return", R"("gpu2\r")", "has a character"},
    {"an escape", R"("\u001b[31mgpu2")", "has a character"},
    {"a DEL", R"("\u007f")", "has a character"},
    {"an option", R"("-oProxyCommand=touch x")", "begins with '-'"},
    {"a dash", R"("-")", "begins with '-'"},
    {"two dashes", R"("--")", "begins with '-'"},
    {"an option with a file", R"("-F/etc/passwd")", "begins with '-'"},
    {"an option with a name", R"("-lroot")", "begins with '-'"},
    {"an option behind a user", R"("me@-oProxyCommand=x")", "begins with '-'"},
    {"an option as the user", R"("-me@gpu2")", "user name that begins with '-'"},
    {"an at sign", R"("@")", "names no user"},
    {"no user", R"("@gpu2")", "names no user"},
    {"two at signs", R"("@@gpu2")", "names no user"},
    {"no host", R"("me@")", "names no host"},
    {"an at sign behind", R"("me@gpu2@")", "names no host"},
    {"no port", R"("gpu2:")", "has a port that is not a number from 1 to 65535"},
    {"port 0", R"("gpu2:0")", "has a port"},
    {"port 65536", R"("gpu2:65536")", "has a port"},
    {"a negative port", R"("gpu2:-1")", "has a port"},
    {"letters in the port", R"("gpu2:22x")", "has a port"},
    {"a sign before the port", R"("gpu2:+22")", "has a port"},
    {"a blank before the port", R"("gpu2: 22")", "has a port"},
    {"two ports", R"("gpu2:22:33")", "is not an address of IPv6"},
    {"an endless port", R"("gpu2:99999999999999999999")", "has a port"},
    {"a port alone", R"(":22")", "names no host"},
    {"a colon", R"(":")", "names no host"},
    {"an open bracket", R"("[")", "has brackets"},
    {"a closed bracket", R"("]")", "has a character"},
    {"empty brackets", R"("[]")", "has brackets"},
    {"a bracket left open", R"("[::1")", "has brackets"},
    {"a bracket never opened", R"("::1]")", "is not an address of IPv6"},
    {"a name in brackets", R"("[gpu2]")", "has brackets"},
    {"a name in brackets with a port", R"("[gpu2]:22")", "has brackets"},
    {"a port without a colon", R"("[::1]22")", "has brackets"},
    {"brackets without a port", R"("[::1]:")", "has a port"},
    {"brackets with a port above all", R"("[::1]:70000")", "has a port"},
    {"no IPv6 in brackets", R"("[::g]")", "is not an address of IPv6"},
    {"no IPv6", R"("::g")", "is not an address of IPv6"},
    {"a zone without a name", R"("fe80::1%")", "is not an address of IPv6"},
    {"a zone with a blank", R"("fe80::1%eth 0")", "is not an address of IPv6"},
    {"two gaps", R"("1::2::3")", "is not an address of IPv6"},
    {"a number above 255", R"("10.0.0.256")", "is not an address of IPv4"},
    {"four such numbers", R"("300.300.300.300")", "is not an address of IPv4"},
    {"a number left out", R"("10.0..1")", "an empty part between the dots"},
    {"a part left out", R"("gpu..lan")", "an empty part between the dots"},
    {"a dot before", R"(".gpu2")", "an empty part between the dots"},
    {"a command behind", R"("gpu2;reboot")", "has a character"},
    {"a pipe", R"("gpu2\u007Ccat")", "has a character"},
    {"a substitution", R"x("$(reboot)")x", "has a character"},
    {"backquotes", R"("`reboot`")", "has a character"},
    {"an ampersand", R"("gpu2&")", "has a character"},
    {"two hosts", R"("gpu2,gpu3")", "has a character"},
    {"a network", R"("10.0.0.0/24")", "has a character"},
    {"a scheme alone", R"("ssh://")", "names no host"},
    {"another scheme", R"("http://gpu2")", "has a port"},
    {"a path behind", R"("ssh://me@gpu2/home")", "has a character"},
    {"a letter beyond ASCII", R"("gp\u00FC2")", "has a character"},
    {"a comment", R"("gpu2#")", "has a character"},
    {"a pattern", R"("gpu*")", "has a character"},
    {"a token of ssh", R"("%h")", "is not an address of IPv6"},
    {"a home folder", R"("~")", "has a character"},
    {"a backslash", R"("gpu2\\")", "has a character"},
    {"quotes", R"("'gpu2'")", "has a character"},
    {"a password", R"("me:secret@gpu2")", "has a character in its user name"},
    {"the first host in capitals", R"("GPU1")", "one host under two names"},
    {"the first host with a scheme", R"("ssh://gpu1")", "one host under two names"},
    {"a number", R"(5)", "must be a text in quotes"},
    {"a flag", R"(true)", "must be a text in quotes"},
    {"a list within", R"(["gpu2"])", "must be a text in quotes"},
};

std::string sshTo(const std::string& second) {
    return kMinimalJob +
           "[cluster]\njob_addresses = [\"gpu1:7000\", \"gpu2:7000\"]\n[launch]\n"
           "method = \"ssh\"\nhosts = [\"gpu1\", " +
           second + "]\n" + (second == "\"gpu1\"" ? "" : "[checkpoint]\ncopies = 2\n");
}

std::string program(const std::string& command, int processes) {
    std::string addresses;
    for (int i = 0; i < processes; ++i)
        addresses += addresses.empty() ? "\"127.0.0.1:0\"" : ", \"127.0.0.1:0\"";
    return "[cluster]\njob_addresses = [" + addresses + "]\n[launch]\ncommand = " + command + "\n";
}

std::string allOf(const JobDocument& document) {
    std::string all;
    for (const Finding& finding : document.findings())
        all += finding.place + ": " + finding.message + "\n";
    return all;
}

std::string repeated(const std::string& item, int times) {
    std::string text;
    for (int i = 0; i < times; ++i)
        text += item;
    return text;
}

/// The least of three, in milliseconds.
double lintTime(const std::string& text) {
    double least = 1e9;
    for (int round = 0; round < 3; ++round) {
        QElapsedTimer timer;
        timer.start();
        const auto document = JobDocument::lenient(text, "job.toml");
        least = std::min(least, static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return least;
}

}  // namespace

class LaunchLintTest : public QObject {
    Q_OBJECT
private slots:
    void aBadSshDestinationIsNamedWithItsPlaceAndAWayOut_data() {
        QTest::addColumn<int>("index");
        QVERIFY(kBadHosts.size() >= 64);
        for (std::size_t i = 0; i < kBadHosts.size(); ++i)
            QTest::newRow(kBadHosts[i].name) << static_cast<int>(i);
    }
    void aBadSshDestinationIsNamedWithItsPlaceAndAWayOut() {
        QFETCH(int, index);
        const BadHost& bad = kBadHosts[static_cast<std::size_t>(index)];
        const auto document = parsed(sshTo(bad.toml));
        const std::string all = allOf(document);
        QVERIFY2(document.findings().size() == 1, all.c_str());
        const Finding& finding = document.findings()[0];
        QVERIFY(finding.severity == Severity::Error);
        QCOMPARE(finding.key, std::string("launch.hosts[1]"));
        QCOMPARE(finding.line, 9);
        QVERIFY2(finding.message.starts_with("launch.hosts[1]"), all.c_str());
        QVERIFY2(finding.message.find(bad.sentence) != std::string::npos, all.c_str());
        QVERIFY(!finding.remedy.empty());
        for (const char c : finding.message)
            QVERIFY2(static_cast<unsigned char>(c) >= 0x20 || c == '\t', all.c_str());
    }

    void goodSshDestinationsAreNotBlamed() {
        for (const char* good :
             {"gpu1", "gpu2", "me@gpu2", "me@corp.example@gpu2:2222", "ssh://me@gpu2:2222/",
              "[::1]", "[fe80::1%eth0]:22", "::1", "10.0.0.3", "gpu-2.lan.", "GPU2_a", "1"}) {
            const auto document = parsed(sshTo("\"" + std::string(good) + "\""));
            QVERIFY2(document.findings().empty(), allOf(document).c_str());
        }
    }

    void hostsOfAddressesAreDestinationsWhereNoneAreNamed() {
        const auto document = parsed(kMinimalJob +
                                     "[cluster]\njob_addresses = [\"gpu1:7000\", \"GPU1:7001\"]\n"
                                     "[launch]\nmethod = \"ssh\"\n"
                                     "[checkpoint]\ncopies = 2\n");
        QVERIFY2(document.findings().size() == 1, allOf(document).c_str());
        QCOMPARE(document.findings()[0].key, std::string("cluster.job_addresses[1]"));
    }

    void aLauncherAsTheProgramOfSeveralProcessesIsAnError_data() {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("name");
        QTest::newRow("torchrun") << R"(["torchrun", "--nproc-per-node=2", "t.py"])"
                                  << "torchrun";
        QTest::newRow("by its path") << R"(["/opt/venv/bin/torchrun", "t.py"])"
                                     << "torchrun";
        QTest::newRow("as a module") << R"(["python", "-m", "torch.distributed.run", "t.py"])"
                                     << "torch.distributed.run";
        QTest::newRow("behind options of python")
            << R"(["python3", "-u", "-m", "torch.distributed.launch", "t.py"])"
            << "torch.distributed.launch";
        QTest::newRow("mpirun") << R"(["mpirun", "-n", "2", "python", "t.py"])"
                                << "mpirun";
        QTest::newRow("mpiexec") << R"(["mpiexec", "python", "t.py"])"
                                 << "mpiexec";
        QTest::newRow("srun") << R"(["srun", "python", "t.py"])"
                              << "srun";
        QTest::newRow("accelerate") << R"(["accelerate", "launch", "t.py"])"
                                    << "accelerate";
        QTest::newRow("deepspeed") << R"(["deepspeed", "t.py"])"
                                   << "deepspeed";
        QTest::newRow("horovodrun") << R"(["horovodrun", "-np", "2", "python", "t.py"])"
                                    << "horovodrun";
    }
    void aLauncherAsTheProgramOfSeveralProcessesIsAnError() {
        QFETCH(QString, command);
        QFETCH(QString, name);
        const auto several = parsed(program(command.toStdString(), 2));
        QVERIFY2(several.findings().size() == 1, allOf(several).c_str());
        const Finding& finding = several.findings()[0];
        QVERIFY(finding.severity == Severity::Error);
        QCOMPARE(finding.place, std::string("job.toml:4:11"));
        QCOMPARE(
            QString::fromStdString(finding.message),
            "launch.command starts " + name +
                ", which starts processes itself: each of 2 processes would begin a job of its "
                "own, and 2 separate jobs would train");
        QVERIFY(finding.remedy.find(R"(["python", "train.py"])") != std::string::npos);
        const auto one = parsed(program(command.toStdString(), 1));
        QVERIFY2(one.findings().size() == 1, allOf(one).c_str());
        QVERIFY(one.findings()[0].severity == Severity::Warning);
    }

    void launchersThatJoinEachOtherAreOnlyWarnedOf() {
        const auto document = parsed(program(
            R"(["torchrun", "--nnodes=2", "--rdzv-backend=c10d", "--rdzv-endpoint=gpu1:29400", "t.py"])",
            2));
        QVERIFY2(document.findings().size() == 1, allOf(document).c_str());
        QVERIFY(document.findings()[0].severity == Severity::Warning);
    }

    void programsThatAreNoLaunchersAreNotBlamed() {
        for (const char* command :
             {R"(["python", "train.py"])", R"(["python", "train.py", "-m", "deepspeed"])",
              R"(["./train", "torchrun"])", R"(["python", "-m", "train"])"}) {
            const auto document = parsed(program(command, 2));
            QVERIFY2(document.findings().empty(), allOf(document).c_str());
        }
    }

    void samplesOfAFileMayBeReadWithoutACache() {
        const auto document = parsed(
            "[data]\ndataset = \"mnist\"\ndirectory = \"data\"\ncache = \"none\"\n[model]\n"
            "layers = [{ units = 10 }]\n");
        QVERIFY2(document.findings().empty(), allOf(document).c_str());
        QCOMPARE(document.spec().data.cache, std::string("none"));
    }

    void aFileForEachProcessIsRefusedInClearWords() {
        const auto document = parsed(
            "[cluster]\njob_addresses = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\n[data]\n"
            "dataset = \"mnist\"\ndirectory = \"data\"\nauto_shard = \"file\"\n[model]\n"
            "layers = [{ units = 10 }]\n");
        QVERIFY2(document.findings().size() == 1, allOf(document).c_str());
        const Finding& finding = document.findings()[0];
        QCOMPARE(
            finding.message,
            std::string("data.auto_shard is \"file\", but files are not dealt out to processes: "
                        "each of 2 processes reads all of them and keeps its part of every "
                        "batch"));
        QVERIFY(finding.remedy.starts_with("Set data.auto_shard to \"data\""));
    }

    /// Eight times the text takes about eight times as long, not sixty-four times.
    void longArraysAreReadInTimeThatGrowsAsTheyDo_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("item");
        QTest::addColumn<QString>("behind");
        QTest::newRow("numbers on one line") << "[launch]\nhosts = ["
                                             << "1, "
                                             << "]\n";
        QTest::newRow("numbers on lines") << "[launch]\nhosts = [\n"
                                          << "1,\n"
                                          << "]\n";
        QTest::newRow("texts on one line") << "[launch]\ncommand = [\"a\", "
                                           << "\"b\", "
                                           << "]\n";
        QTest::newRow("hosts") << "[launch]\nmethod = \"ssh\"\nhosts = ["
                               << "\"h\", "
                               << "]\n";
        QTest::newRow("addresses") << "[cluster]\njob_addresses = ["
                                   << "\"h:1\", "
                                   << "]\n";
        QTest::newRow("layers") << "[model]\nlayers = ["
                                << "{ units = 1 }, "
                                << "]\n";
        QTest::newRow("letters beyond ASCII") << "[launch]\ncommand = [\"a\", "
                                              << "\"\u00FC\", "
                                              << "]\n";
    }
    void longArraysAreReadInTimeThatGrowsAsTheyDo() {
        QFETCH(QString, before);
        QFETCH(QString, item);
        QFETCH(QString, behind);
        const auto text = [&](int times) {
            return before.toStdString() + repeated(item.toStdString(), times) +
                   behind.toStdString();
        };
        double some = lintTime(text(5'000));
        double many = lintTime(text(40'000));
        // The best of several: the processor is shared, and eight times as much takes eight times.
        for (int again = 0; again < 10 && many >= 32 * std::max(some, 1.0); ++again) {
            some = std::min(some, lintTime(text(5'000)));
            many = std::min(many, lintTime(text(40'000)));
        }
        QVERIFY2(many < 32 * std::max(some, 1.0),
                 qPrintable(QString("%1 ms, then %2 ms").arg(some).arg(many)));
    }

    void manyWrongElementsAreNamedInPartAndCounted() {
        const auto document = parsed("[launch]\nhosts = [" + repeated("1, ", 500) + "]\n");
        std::vector<std::string> said;
        for (const Finding& finding : document.findings())
            if (finding.key.starts_with("launch.hosts")) said.push_back(finding.message);
        QCOMPARE(said.size(), std::size_t{21});
        QVERIFY(said.front().starts_with("launch.hosts[0] is 1, but must be a text in quotes"));
        QCOMPARE(said.back(),
                 std::string("launch.hosts has 480 more elements that are no texts in quotes"));
    }

    void whoBeginsAgainWhenAHostIsLostIsSaid() {
        const auto says = [](const std::string& launch) {
            const auto document =
                parsed(kMinimalJob + "\n[launch]\nhosts = [\"a\"]\nmethod = \"ssh\"\n" + launch);
            return std::ranges::any_of(document.findings(), [](const Finding& finding) {
                return finding.message.find("nobody begins again when a host") != std::string::npos;
            });
        };
        QVERIFY(says("max_restarts = 2\n"));
        QVERIFY(!says("max_restarts = 2\non_disconnect = \"tied\"\n"));
        QVERIFY(!says(""));
    }
    void whereAValueStandsIsRightBehindLettersOfSeveralBytes() {
        auto document =
            parsed("\xEF\xBB\xBF[job]\nname = \"\xC3\xBC\" # \xE2\x82\xAC\n" + kMinimalJob);
        QVERIFY(document.wellFormed());
        QVERIFY(document.set("job.name", "plain").has_value());
        QVERIFY(
            document.text().starts_with("\xEF\xBB\xBF[job]\nname = \"plain\" # \xE2\x82\xAC\n"));
    }
};

QTEST_GUILESS_MAIN(LaunchLintTest)
#include "tst_launch_lint.moc"
