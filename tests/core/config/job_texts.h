// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/config/document/job_file.h"
#include "core/config/keys/key_help.h"

namespace lockstep::config::test {

/// The smallest job without findings.
inline const std::string kMinimalJob =
    "[data]\n"
    "dataset = \"digits\"\n"
    "[model]\n"
    "layers = [{ type = \"dense\", units = 10 }]\n";

/// A job with a comment in every place where TOML allows one.
inline const std::string kCommentedJob =
    "# c01: the file\n"
    "\n"
    "[job]          # c02: a header\n"
    "name = \"mnist-mlp\"   # c03: a value\n"
    "# c04: before a table\n"
    "[cluster]\n"
    "job_addresses = [   # c05: an array begins\n"
    "  # c06: a line of its own within it\n"
    "  \"10.0.0.1:1234\",  # c07: an element\n"
    "  \"10.0.0.2:1234\"   # c08: the last element, no comma\n"
    "  # c09: before the end\n"
    "]   # c10: an array ends\n"
    "evaluator = true\n"
    "   # c11: indented\n"
    "[launch]\n"
    "method = 'ssh' # c12: a literal string\n"
    "[data]\n"
    "dataset = \"digits\"  # c13: # twice\n"
    "\n"
    "[model]\n"
    "layers = [\n"
    "  { type = \"dense\", units = 256, activation = \"relu\" }, # c14: hidden\n"
    "  { type = \"dense\", units = 10 },\n"
    "  # c15: output above\n"
    "]\n"
    "[training]\n"
    "epochs = 2 # c16: \xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80\n"
    "# c17: the end, without a line break";

inline JobDocument parsed(const std::string& text) {
    auto document = JobDocument::parse(text, "job.toml");
    return document ? std::move(*document) : JobDocument::lenient(text, "job.toml");
}

}  // namespace lockstep::config::test
