// SPDX-License-Identifier: Apache-2.0
// A host with sshd and Debian's essential packages alone (tests/support/bare-host): the build gets
// there with every library it needs, and trains.
#include <QFile>
#include <QTest>
#include <QUuid>

#include "core/base/thread.h"
#include "core/config/document/job_file.h"
#include "core/launch/ssh/ssh_link.h"
#include "core/wire/codec.h"
#include "tests/integration/workplace.h"

namespace lockstep {

namespace {

constexpr std::chrono::minutes kTimeout{1};

const char* configuration() {
    return std::getenv("LOCKSTEP_BARE_HOST");
}

Result<std::unique_ptr<launch::HostLink>> open() {
    return launch::openSsh("bare", {.configFile = configuration()}, {});
}

/// The next message that is not about something else; a description in `problem` when none comes.
wire::FromHost next(launch::HostLink& link, std::string& problem) {
    auto message = link.receive(kTimeout);
    if (!message) problem = message.error().message;
    if (message && !*message) problem = "nothing came";
    if (message && *message && (*message)->has_error()) problem = (*message)->error().error();
    return message && *message ? **message : wire::FromHost();
}

wire::ToHost hello() {
    wire::ToHost message;
    message.set_protocol(wire::kProtocol);
    message.set_request(1);
    message.mutable_hello()->set_lease_seconds(120);
    return message;
}

}  // namespace

class TestSshBareHost : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        ignoreSigpipe();
        if (configuration() == nullptr)
            QSKIP("there is no bare host: run it by tests/support/bare-host (./dev check ssh)");
    }

    void theProgramRunsWithLibrariesOfItsOwn() {
        auto link = open();
        QVERIFY2(link.has_value(), link ? "" : link.error().message.c_str());
        QVERIFY((*link)->send(hello(), kTimeout).has_value());
        std::string problem;
        const wire::FromHost greeting = next(**link, problem);
        QVERIFY2(greeting.has_greeting(), problem.c_str());
        // Its processes are seen from here: only the files are apart.
        QFile maps(QString("/proc/%1/maps").arg(greeting.greeting().pid()));
        QVERIFY(maps.open(QIODevice::ReadOnly));
        const QByteArray mapped = maps.readAll();
        QVERIFY(mapped.contains("/lockstep/builds/"));
        for (const char* name : {"libzmq", "libprotobuf", "libstdc++", "libdnnl", "libgloo"})
            for (const QByteArray& line : mapped.split('\n'))
                if (line.contains(name)) QVERIFY2(line.contains("/lockstep/builds/"), line);
    }

    void aJobTrainsThere() {
        auto link = open();
        QVERIFY2(link.has_value(), link ? "" : link.error().message.c_str());
        QVERIFY((*link)->send(hello(), kTimeout).has_value());
        std::string problem;
        QVERIFY2(next(**link, problem).has_greeting(), problem.c_str());
        auto document = config::JobDocument::parse(tests::kSmallJob.toStdString(), "job.toml");
        QVERIFY(document.has_value());
        const auto job = document->checked();
        QVERIFY2(job.has_value(), job ? "" : job.error().message.c_str());
        wire::ToHost start;
        start.set_protocol(wire::kProtocol);
        start.set_request(2);
        wire::AgentConfig& agent = *start.mutable_start_agent();
        agent.set_run_id("bare");
        agent.set_run_dir("/var/tmp/runs/bare");
        agent.set_job_toml(config::resolvedToml(*job));
        agent.set_job_dir("/");
        agent.set_tied(true);
        agent.add_process_ids(0);
        agent.set_host_coordinator(true);
        QVERIFY((*link)->send(start, kTimeout).has_value());
        const wire::FromHost ready = next(**link, problem);
        QVERIFY2(ready.has_agent_ready(), problem.c_str());
        QVERIFY2(ready.agent_ready().error().empty(), ready.agent_ready().error().c_str());
        const wire::FromHost ended = next(**link, problem);
        QVERIFY2(ended.has_agent_ended(), problem.c_str());
        QVERIFY(!ended.agent_ended().signalled());
        QCOMPARE(ended.agent_ended().status(), 0);
    }
};

}  // namespace lockstep

QTEST_GUILESS_MAIN(lockstep::TestSshBareHost)
#include "tst_ssh_bare_host.moc"
