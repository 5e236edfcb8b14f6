// SPDX-License-Identifier: Apache-2.0
// Data sets with one mistake each, and what must be said of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/array_files.h"

namespace lockstep::data::test {

struct BadSource {
    const char* name;
    std::string job;  ///< Lines of [data].
    std::vector<std::pair<std::string, std::string>> files;
    const char* words;  ///< In the sentence.
};
using BadSources = std::vector<BadSource>;

// ---- tables ------------------------------------------------------------------------------------

/// Of t.csv: x and colour are learned from, y is predicted.
inline std::string tableJob(const std::string& more = {}, const std::string& x = "\"float\"") {
    return "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\n" + more +
           "[data.features]\nx = " + x + "\n";
}

/// A row of a table of x, colour and y that is right but for `row`.
inline std::string tableWith(const std::string& row) {
    return "x,colour,y\n1,red,2\n2,red,3\n" + row + "\n3,blue,4\n4,blue,5\n";
}

inline BadSource badTable(const char* name, const std::string& content, const char* words) {
    return {name, tableJob(), {{"t.csv", content}}, words};
}

inline BadSources badFiles() {
    using std::string_literals::operator""s;
    return {
        badTable("empty", "", "data.files: t.csv: it is empty"),
        badTable("a mark alone", "\xef\xbb\xbf", "data.files: t.csv: it is empty"),
        badTable("empty lines alone", "\n\r\n\n", "it is empty"),
        badTable("a header alone", "x,colour,y\n", "it has a header and no rows below it"),
        badTable("quote never closed", "x,y\n1,2\n\"3,4\n5,6\n",
                 "line 3: a cell begins with a quote that is never closed"),
        badTable("UTF-16, little end first", "\xff\xfex\0,\0y\0\n\0"s,
                 "it is not UTF-8, but UTF-16 or UTF-32"),
        badTable("UTF-16, big end first", "\xfe\xff\0x\0,\0y"s, "it is not UTF-8, but UTF-16"),
        badTable("UTF-32", "\0\0\xfe\xff\0\0\0x"s, "it is not UTF-8, but UTF-16 or UTF-32"),
        {"no such file", tableJob(), {}, "data.files: there is no file"},
        {"a folder", tableJob(), {{"t.csv/x", ""}}, "t.csv is no file"},
    };
}

inline BadSources badFormats() {
    using std::string_literals::operator""s;
    const std::string more = "\x15\4\x15\x80"s + std::string(40, '\n');
    return {
        badTable("Parquet", "PAR1" + more + "PAR1", "t.csv: it is a Parquet file, and CSV is read"),
        badTable("Arrow", "ARROW1\0\0"s + more + "ARROW1",
                 "t.csv: it is an Arrow file, and CSV is read"),
        badTable("spreadsheet", "PK\3\4" + more,
                 "t.csv: it is a spreadsheet or another zip archive, and CSV is read"),
        badTable("HDF5", "\x89HDF\r\n\x1a\n" + more, "t.csv: it is an HDF5 file, and CSV is read"),
        badTable("SQLite", "SQLite format 3\0"s + more,
                 "t.csv: it is an SQLite database, and CSV is read"),
    };
}

inline BadSources badHeaders() {
    const std::string rows = "1,2,3\n4,5,6\n";
    return {
        badTable("semicolons", "x;colour;y\n1;2;3\n", "separated by semicolons, not by commas"),
        badTable("tabs", "x\tcolour\ty\n1\t2\t3\n", "separated by tabs, not by commas"),
        badTable("bars", "x|colour|y\n1|2|3\n", "separated by bars, not by commas"),
        badTable("no header", rows, "t.csv: it has no column x"),
        badTable("no target", "x,colour,z\n" + rows, "t.csv: it has no column y"),
        badTable("other capitals", "X,colour,y\n" + rows, "it has no column x"),
        badTable("column twice", "x,y,x\n" + rows, "it has the column x twice"),
        badTable("target twice", "x,y,y\n" + rows, "it has the column y twice"),
        badTable("text behind a name", "\"x\"a,colour,y\n" + rows,
                 "its header has text behind the quoted cell 1"),
        {"second file lacks a column",
         "dataset = \"table\"\nfiles = [\"t.csv\", \"u.csv\"]\ntarget = \"y\"\nfeatures.x = "
         "\"float\"\n",
         {{"t.csv", "x,y\n1,2\n3,4\n"}, {"u.csv", "ex,y\n1,2\n"}},
         "data.files: u.csv: it has no column x"},
    };
}

inline BadSources badRows() {
    const auto row = [](const char* name, const char* content, const char* words) {
        return badTable(name, tableWith(content), words);
    };
    return {
        row("too few cells", "1,red", "t.csv:4 has 2 cells, but the header has 3"),
        row("too many cells", "1,red,2,3", "t.csv:4 has 4 cells, but the header has 3"),
        row("a comma at the end", "1,red,2,", "t.csv:4 has 4 cells, but the header has 3"),
        row("an unquoted comma", "1,dark, red,2", "t.csv:4 has 4 cells"),
        row("text behind quotes", "1,\"red\"dish,2", "t.csv:4 has text behind the quoted cell 2"),
        row("a row of spaces", "   ", "t.csv:4 has 1 cell, but the header has 3"),
        row("a second header", "x,colour,y", "t.csv:4 x is \"x\", which is no number"),
        row("control characters", "\x1b[2J,red,2", "t.csv:4 x is \"?[2J\", which is no number"),
        row("a tab within", "1\t2,red,2", "t.csv:4 x is \"1\t2\", which is no number"),
        badTable(
            "all rows", "x,y\n1\n2\n3\n4\n5\n6\n7\n",
            "of 7 rows, 7 cannot be read: t.csv:2 has 1 cell, but the header has 2; t.csv:3 has "
            "1 cell, but the header has 2; t.csv:4 has 1 cell, but the header has 2; t.csv:5 "
            "has 1 cell, but the header has 2; t.csv:6 has 1 cell, but the header has 2; and 2 "
            "more"),
    };
}

inline BadSources badNumbers() {
    const auto cell = [](const char* name, const char* content, const char* words) {
        return badTable(name, tableWith(std::string(content) + ",red,2"), words);
    };
    return {
        cell("a word", "many", "t.csv:4 x is \"many\", which is no number"),
        cell("decimal comma", "\"3,5\"", "t.csv:4 x is \"3,5\", which is no number"),
        cell("thousands", "\"1,000\"", "x is \"1,000\", which is no number"),
        cell("a share", "5%", "x is \"5%\", which is no number"),
        cell("a price", "$5", "x is \"$5\", which is no number"),
        cell("a date", "2024-01-01", "x is \"2024-01-01\", which is no number"),
        cell("hexadecimal", "0x1F", "x is \"0x1F\", which is no number"),
        cell("too large", "1e60", "x is \"1e60\", which is no finite number of float32"),
        cell("infinite", "-inf", "x is \"-inf\", which is no finite number of float32"),
        cell("a truth", "True", "x is \"True\", which is no number"),
    };
}

inline BadSources missingCells() {
    const auto lacks = [](const char* name, const char* content, const char* words,
                          const std::string& more = {}) {
        return BadSource{name, tableJob(more), {{"t.csv", tableWith(content)}}, words};
    };
    const char* x = "of 5 rows, 1 lacks a value: t.csv:4 has no x";
    return {
        lacks("empty", ",red,2", x),
        lacks("spaces", "  ,red,2", x),
        lacks("quotes", "\"\",red,2", x),
        lacks("NA", "NA,red,2", x),
        lacks("NaN", "NaN,red,2", x),
        lacks("null", "null,red,2", x),
        lacks("question mark", "?,red,2", x),
        lacks("the target", "1,red,", "t.csv:4 has no y"),
        lacks("the target has no mean to stand in", "1,red,", "t.csv:4 has no y",
              "missing = \"mean\"\n"),
        {"nothing to take the mean of",
         tableJob("missing = \"mean\"\n"),
         {{"t.csv", "x,y\n,1\n,2\n,3\n"}},
         "data.features: x has no number in the training rows"},
    };
}

inline BadSources badCategories() {
    const std::string table = "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\n";
    const std::string colours = table + "features.colour = \"string_categorical\"\n";
    const std::string whole = table + "features.colour = \"integer_categorical\"\n";
    const std::string classes =
        table + "features = { x = \"float\", y = \"string_categorical\" }\n";
    std::string many = "colour,y\n";
    std::string each = "colour,y\n";
    for (int i = 0; i < 12'000; ++i)
        many += "c" + std::to_string(i) + ",1\n";
    for (int i = 0; i < 20; ++i)
        each += "c" + std::to_string(i) + ",1\n";
    return {
        {"not UTF-8",
         colours,
         {{"t.csv",
           "colour,y\nred,1\nr\xe9"
           "d,2\n"}},
         "t.csv:3 colour is not UTF-8"},
        {"missing category",
         colours,
         {{"t.csv", "colour,y\nred,1\n,2\n"}},
         "t.csv:3 has no colour"},
        {"no whole number",
         whole,
         {{"t.csv", "colour,y\n3,1\n3.5,2\n"}},
         "t.csv:3 colour is \"3.5\", which is no whole number"},
        {"a word as whole number",
         whole,
         {{"t.csv", "colour,y\n3,1\nred,2\n"}},
         "t.csv:3 colour is \"red\", which is no number"},
        {"too large a whole number",
         whole,
         {{"t.csv", "colour,y\n3,1\n1e30,2\n"}},
         "colour is \"1e30\", which is no whole number"},
        {"known to validation alone",
         colours,
         {{"t.csv", each}},
         "2 validation rows have a category that no training row has: t.csv:"},
        {"too many for one-hot",
         colours + "on_error = \"skip\"\n",
         {{"t.csv", many}},
         "categories, too many for one_hot"},
        {"one class",
         classes,
         {{"t.csv", "x,y\n1,a\n2,a\n3,a\n"}},
         "data.target: y has 1 different values in the training rows"},
    };
}

inline BadSources badShares() {
    return {
        {"one row",
         tableJob(),
         {{"t.csv", "x,y\n1,2\n"}},
         "data.validation_split is 0.1, which leaves none of 1 sample to train on"},
        {"too large a share",
         tableJob("validation_split = 0.99\n"),
         {{"t.csv", "x,y\n1,2\n3,4\n"}},
         "data.validation_split is 0.99, which leaves none of 2 samples to train on"},
        {"all skipped",
         tableJob("missing = \"skip\"\n"),
         {{"t.csv", "x,y\n,2\n,4\n"}},
         "data.files: of 2 rows none can be used"},
        {"nothing to test on",
         tableJob("validation_split = 0\n"),
         {{"t.csv", "x,y\n1,2\n3,4\n"}},
         "there is nothing to test on"},
        {"packed and cut off",
         tableJob(),
         {{"t.csv", std::string("\x1f\x8b\x08\0\0\0", 6)}},
         "t.csv: the gzip data ends early"},
        {"packed and damaged",
         tableJob(),
         {{"t.csv", std::string("\x1f\x8b\x08\0\0\0\0\0\0\3garbage!", 18)}},
         "t.csv: the gzip data is damaged"},
    };
}

// ---- texts -------------------------------------------------------------------------------------

inline std::string textJob(const std::string& more = {}) {
    return "dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 8\n" + more;
}

inline BadSources badTexts() {
    const std::string characters = "tokenizer = \"characters\"\n";
    return {
        {"no such text", textJob(), {}, "data.files: there is no file"},
        {"empty text", textJob(), {{"a.txt", ""}}, "data.files: a.txt is empty"},
        {"too short",
         textJob(),
         {{"a.txt", "12345678"}},
         "the training text of 7 bytes is too short for one window of 8 tokens"},
        {"too short to validate",
         textJob(),
         {{"a.txt", std::string(50, 'a')}},
         "the validation text of 5 bytes is too short for one window of 8 tokens"},
        {"not UTF-8",
         textJob(characters),
         {{"a.txt",
           "one\ntwo\nthr\xe9"
           "e\n"}},
         "data.files: a.txt:3 is not UTF-8"},
        {"UTF-16",
         textJob(),
         {{"a.txt", "\xff\xfe" + std::string(40, 'a')}},
         "it is not UTF-8, but UTF-16 or UTF-32"},
        {"second text is empty",
         "dataset = \"text\"\nfiles = [\"a.txt\", \"b.txt\"]\nsequence_length = 8\n",
         {{"a.txt", std::string(100, 'a')}, {"b.txt", ""}},
         "data.files: b.txt is empty"},
        {"no such tokenizer",
         textJob("tokenizer = \"./spm.model\"\n"),
         {{"a.txt", std::string(100, 'a')}},
         "data.tokenizer: there is no file"},
        {"no tokenizer",
         textJob("tokenizer = \"spm.model\"\n"),
         {{"a.txt", std::string(100, 'a')}, {"spm.model", "nothing of the kind"}},
         "data.tokenizer: "},
        {"all validates",
         textJob("validation_split = 0.95\n"),
         {{"a.txt", std::string(100, 'a')}},
         "the training text of 5 bytes is too short"},
    };
}

}  // namespace lockstep::data::test
