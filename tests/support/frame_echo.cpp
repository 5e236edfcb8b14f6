// SPDX-License-Identifier: Apache-2.0
// Stands for lockstep-worker where only the connection is tested: greets, and gives back whatever
// is relayed. Ends when its input does.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "core/base/thread.h"
#include "core/wire/framed_stream.h"

int main(int argc, char** argv) {
    using namespace lockstep;
    ignoreSigpipe();
    if (argc != 2 || std::strcmp(argv[1], "--host") != 0) return 2;
    for (;;) {
        const auto frame = wire::readFrame(STDIN_FILENO, std::chrono::minutes(5));
        wire::ToHost request;
        if (!frame || !request.ParseFromString(*frame)) return 0;
        wire::FromHost answer;
        answer.set_request(request.request());
        if (request.has_hello()) {
            answer.mutable_greeting()->set_pid(::getpid());
            answer.mutable_greeting()->set_build("echo");
        } else if (request.has_relay_data()) {
            answer.mutable_relay_data()->set_bytes(request.relay_data().bytes());
        } else if (request.has_relay_end()) {
            std::fprintf(stderr, "error: %s\n", request.relay_end().error().c_str());
            return 7;
        } else {
            continue;
        }
        if (!wire::writeFrame(STDOUT_FILENO, answer.SerializeAsString(), std::chrono::minutes(1)))
            return 1;
    }
}
