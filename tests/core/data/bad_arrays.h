// SPDX-License-Identifier: Apache-2.0
// Arrays with one mistake each, and what must be said of it.
#pragma once

#include <cmath>

#include "tests/core/data/bad_source.h"

namespace lockstep::data::test {

/// Four samples of two numbers, and their targets.
inline std::string goodInputs() {
    return tests::npyOf("<f4", "(4, 2)", tests::bytesOfAll(std::vector<float>(8, 1)));
}
inline std::string goodTargets() {
    return tests::npyOf("<f4", "(4,)", tests::bytesOfAll(std::vector<float>(4, 1)));
}

inline BadSource badArray(const char* name, const std::string& inputs, const char* words) {
    return {name,
            "dataset = \"arrays\"\ninputs = \"x.npy\"\ntargets = \"y.npy\"\n",
            {{"x.npy", inputs}, {"y.npy", goodTargets()}},
            words};
}
inline BadSource badTargets(const char* name, const std::string& targets, const char* words) {
    return {name,
            "dataset = \"arrays\"\ninputs = \"x.npy\"\ntargets = \"y.npy\"\n",
            {{"x.npy", goodInputs()}, {"y.npy", targets}},
            words};
}

inline BadSources badNpyHeaders() {
    const std::string zeros(32, '\0');
    const auto header = [&zeros](const char* text) { return tests::npyWithHeader(text, zeros); };
    const char* damaged = "data.inputs: x.npy: its header is not as NumPy writes it";
    return {
        badArray("empty", "", "data.inputs: x.npy: it is empty"),
        badArray("no npy", "1 2 3 4\n", "it is no .npy file"),
        badArray("of the future", tests::npyWithHeader("{}", zeros, 9),
                 "it is of version 9 of the format, and 1 to 3 are read"),
        badArray("cut off in the header", goodInputs().substr(0, 40), "it ends within its header"),
        badArray("no dictionary", header("[1, 2]"), damaged),
        badArray("a key lacks", header("{'descr': '<f4', 'shape': (4, 2), }"), damaged),
        badArray("a key too many",
                 header("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), 'x': 1}"),
                 damaged),
        badArray("negative side",
                 header("{'descr': '<f4', 'fortran_order': False, 'shape': (-4, 2), }"), damaged),
        badArray("string never closed", header("{'descr': '<f4, "), damaged),
        badArray("code instead",
                 header("{'descr': __import__('os'), 'fortran_order': False, 'shape': (4, 2), }"),
                 damaged),
    };
}

inline BadSources badNpyTypes() {
    const auto of = [](const char* name, const char* descr, std::size_t bytes, const char* words) {
        return badArray(name, tests::npyOf(descr, "(4, 2)", std::string(8 * bytes, '\0')), words);
    };
    return {
        of("big-endian", ">f4", 4, "its numbers are big-endian (>f4)"),
        of("objects", "|O", 8, "it holds Python objects, not numbers"),
        of("strings", "<U5", 20, "its type is \"<U5\", which is not read"),
        of("complex", "<c8", 8, "its type is \"<c8\", which is not read"),
        of("half", "<f2", 2, "its type is \"<f2\", which is not read"),
        of("dates", "<M8[ns]", 8, "its type is \"<M8[ns]\", which is not read"),
        of("no type", "", 4, "its type is \"\", no number"),
        badArray("records",
                 tests::npyWithHeader("{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': "
                                      "False, 'shape': (4,), }",
                                      std::string(32, '\0')),
                 "which is not read"),
        badArray("first dimension together",
                 tests::npyWithHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (4, 2), }",
                                      std::string(32, '\0')),
                 "its first dimension lies together (fortran_order)"),
    };
}

inline BadSources badNpySizes() {
    const auto of = [](const char* name, const char* shape, std::size_t bytes, const char* words) {
        return badArray(name, tests::npyOf("<f4", shape, std::string(bytes, '\0')), words);
    };
    return {
        of("a million million rows", "(1000000000000, 2)", 64,
           "its header announces 1000000000000 x 2 of float32, 8000000000000 bytes, and 64 bytes "
           "follow"),
        of("more than 2^64 bytes", "(4611686018427387904, 4611686018427387904)", 64,
           "of float32, and 64 bytes follow"),
        of("cut off", "(4, 2)", 31, "4 x 2 of float32, 32 bytes, and 31 bytes follow"),
        of("too long", "(4, 2)", 33, "32 bytes, and 33 bytes follow"),
        of("no samples", "(0, 2)", 0, "data.inputs: the array is 0 x 2, so it holds no samples"),
        of("samples of nothing", "(4, 0)", 0, "the array is 4 x 0, so it holds no samples"),
        of("one number", "()", 4, "the array is one number, so it holds no samples"),
        of("too many dimensions",
           "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", 4,
           "its header is not"),
    };
}

inline BadSource badArchive(const char* name, const std::string& archive, const char* words,
                            const std::string& array = ":x") {
    return {name,
            "dataset = \"arrays\"\ninputs = \"x.npz" + array + "\"\ntargets = \"y.npy\"\n",
            {{"x.npz", archive}, {"y.npy", goodTargets()}},
            words};
}

/// The archive with `bytes` at the place behind `mark`.
inline std::string patched(std::string archive, const std::string& mark, std::size_t behind,
                           const std::string& bytes) {
    archive.replace(archive.rfind(mark) + behind, bytes.size(), bytes);
    return archive;
}

inline BadSources badArchives() {
    const std::string good = tests::npzOf({{"x", goodInputs()}});
    const std::string packed = tests::npzOf({{"x", goodInputs()}}, true);
    const std::string directory = "PK\1\2";
    return {
        badArchive("no archive", "1 2 3\n", "data.inputs: x.npz:x: it is no .npz file"),
        badArchive("empty file", "", "x.npz:x: it is empty"),
        badArchive("cut off", good.substr(0, good.size() - 30), "its directory is missing"),
        badArchive("no such array", good, "it holds no array z", ":z"),
        badArchive("which array", tests::npzOf({{"a", goodInputs()}, {"b", goodInputs()}}),
                   "it holds 2 arrays, and which of them is not said", ""),
        badArchive("a changed byte", patched(good, goodInputs().substr(0, 60), 140, "?"),
                   "x.npy does not match its checksum"),
        badArchive("another method", patched(good, directory, 10, tests::numberText(12, 2)),
                   "it is packed by method 12 of zip"),
        badArchive("encrypted", patched(good, directory, 8, tests::numberText(1, 2)),
                   "it is encrypted"),
        badArchive("lies elsewhere", patched(good, directory, 42, tests::numberText(1 << 30, 4)),
                   "an array of it is missing"),
        badArchive("unpacks to too much",
                   patched(packed, directory, 24, tests::numberText(0xFFFFFFF0, 4)),
                   "an array of it cannot unpack to so much"),
    };
}

inline BadSources badNumbersOfArrays() {
    const auto floats = [](float odd) {
        return tests::npyOf("<f4", "(4, 2)",
                            tests::bytesOfAll(std::vector<float>{1, 1, 1, 1, 1, odd, 1, 1}));
    };
    const auto classes = [](std::int64_t odd) {
        return tests::npyOf("<i8", "(4,)",
                            tests::bytesOfAll(std::vector<std::int64_t>{0, 1, odd, 1}));
    };
    return {
        badArray("not a number", floats(std::nanf("")),
                 "data.inputs: sample 2: number 1 is not a number"),
        badArray("infinite", floats(INFINITY), "data.inputs: sample 2: number 1 is not finite"),
        badArray(
            "too large a double",
            tests::npyOf("<f8", "(4,)", tests::bytesOfAll(std::vector<double>{1, 1, 1e300, 1})),
            "data.inputs: sample 2: number 0 is not finite"),
        badArray("too large a whole number",
                 tests::npyOf("<i4", "(4,)",
                              tests::bytesOfAll(std::vector<std::int32_t>{1, 1, 1, 1 << 25})),
                 "data.inputs: sample 3: number 0 is not exact as float32"),
        badTargets("target is not a number",
                   tests::npyOf("<f4", "(4,)",
                                tests::bytesOfAll(std::vector<float>{1, std::nanf(""), 1, 1})),
                   "data.targets: sample 1: number 0 is not a number"),
        badTargets("negative class", classes(-1),
                   "data.targets: the class of sample 2 is -1, and classes are from 0 to 65534"),
        badTargets("too large a class", classes(70'000), "the class of sample 2 is 70000"),
    };
}

inline BadSources badShapes() {
    const std::string pair = "dataset = \"arrays\"\ninputs = \"x.npy\"\ntargets = \"y.npy\"\n";
    const std::string withValidation =
        pair + "validation_inputs = \"vx.npy\"\nvalidation_targets = \"vy.npy\"\n";
    const auto validated = [&](const char* name, const std::string& inputs,
                               const std::string& targets, const char* words) {
        return BadSource{name,
                         withValidation,
                         {{"x.npy", goodInputs()},
                          {"y.npy", goodTargets()},
                          {"vx.npy", inputs},
                          {"vy.npy", targets}},
                         words};
    };
    return {
        badTargets("fewer targets", tests::npyOf("<f4", "(3,)", std::string(12, '\0')),
                   "data.inputs holds 4 samples, and data.targets holds 3 targets"),
        badTargets("targets of planes", tests::npyOf("<f4", "(4, 2, 2)", std::string(64, '\0')),
                   "the array is 4 x 2 x 2, and the target of a sample is a number or a row"),
        badArray("four channels", tests::npyOf("|u1", "(4, 3, 3, 4)", std::string(144, '\0')),
                 "the images are 4 x 3 x 3 x 4, and their last dimension should be 1 or 3"),
        validated("other samples", tests::npyOf("<f4", "(4, 3)", std::string(48, '\0')),
                  goodTargets(), "data.validation_inputs is 4 x 3 of float32: samples differ"),
        validated("other numbers", tests::npyOf("<i4", "(4, 2)", std::string(32, '\0')),
                  goodTargets(), "data.validation_inputs is 4 x 2 of int32: samples differ"),
        validated("other targets", goodInputs(), tests::npyOf("<i4", "(4,)", std::string(16, '\0')),
                  "data.validation_targets is 4 of int32: targets differ"),
        {"one sample",
         pair,
         {{"x.npy", tests::npyOf("<f4", "(1, 2)", std::string(8, '\0'))},
          {"y.npy", tests::npyOf("<f4", "(1,)", std::string(4, '\0'))}},
         "data.validation_split is 0.1, which leaves none of 1 sample to train on"},
        {"no targets",
         "dataset = \"arrays\"\ninputs = \"x.npy\"\n",
         {{"x.npy", goodInputs()}},
         "data.targets is not set, and data.inputs is nothing without it"},
        {"no inputs", "dataset = \"arrays\"\n", {}, "data.inputs is not set"},
        {"no such array file", pair, {{"y.npy", goodTargets()}}, "data.inputs: there is no file"},
    };
}

}  // namespace lockstep::data::test
