// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/output_line.h"

#include <fmt/format.h>

namespace lockstep::app {

std::string outputLine(const job::LogEntry& entry) {
    switch (entry.role) {
        case job::Role::Worker:
            break;
        case job::Role::Evaluator:
            return entry.processId == 0
                       ? "[evaluator] " + entry.text
                       : fmt::format("[evaluator-{}] {}", entry.processId, entry.text);
        case job::Role::Agent:
            return "[agent] " + entry.text;
    }
    return fmt::format("[{}] {}", entry.processId, entry.text);
}

}  // namespace lockstep::app
