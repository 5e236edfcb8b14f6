// SPDX-License-Identifier: Apache-2.0
// Images, and folders, archives and IDX files of them, with one mistake each.
#pragma once

#include "tests/core/data/bad_source.h"
#include "tests/support/image_files.h"
#include "tests/support/tar_file.h"

namespace lockstep::data::test {

inline std::string folderJob(const std::string& more = {}, const std::string& folder = "images") {
    return "dataset = \"image_folder\"\ndirectory = \"" + folder +
           "\"\nimage_size = [8, 8]\nvalidation_samples = 2\n" + more;
}

inline std::string goodImage() {
    return tests::pngOf(8, 8, tests::plainPixels(8, 8, 10, 20, 30));
}

using SourceFiles = std::vector<std::pair<std::string, std::string>>;

/// Two classes of two images each.
inline SourceFiles goodFolder() {
    return {{"images/a/1.png", goodImage()},
            {"images/a/2.png", goodImage()},
            {"images/b/1.png", goodImage()},
            {"images/b/2.png", goodImage()}};
}

inline BadSource badFolder(const char* name, const SourceFiles& more, const char* words,
                           const std::string& lines = {}) {
    SourceFiles files = goodFolder();
    files.insert(files.end(), more.begin(), more.end());
    return {name, folderJob(lines), std::move(files), words};
}

inline BadSources badImageFiles() {
    const auto image = [](const char* name, const std::string& content, const char* words) {
        return badFolder(name, {{"images/b/3.jpg", content}}, words);
    };
    const std::string jpeg = tests::jpegOf(64, 64, tests::plainPixels(64, 64, 9, 90, 200));
    const std::string png = goodImage();
    std::string changed = png;
    changed[png.find("IDAT") + 10] ^= 1;
    std::string huge = png;
    huge.replace(16, 8, std::string("\0\0\xff\xff\0\0\xff\xff", 8));
    return {
        image("empty", "", "of 5 images in "),
        image("a text", "hello", "b/3.jpg is neither a JPEG nor a PNG image"),
        image("a GIF", "GIF89a\1\0\1\0", "b/3.jpg is neither a JPEG nor a PNG image"),
        image("a JPEG cut short", jpeg.substr(0, jpeg.size() / 2),
              "b/3.jpg is a JPEG image that ends too early"),
        image("the beginning of a JPEG", jpeg.substr(0, 3), "b/3.jpg is a "),
        image("a PNG cut short", png.substr(0, png.size() - 14),
              "b/3.jpg is a PNG image that ends too early"),
        image("a PNG with a changed byte", changed, "b/3.jpg is a damaged PNG image: "),
        image("CMYK", tests::jpegOf(8, 8, tests::Pixels(256, 9), JCS_CMYK),
              "b/3.jpg is a CMYK image, and only grey and RGB are read"),
        image("sides that lie", huge, "b/3.jpg is a damaged PNG image: "),
    };
}

inline BadSources badFolders() {
    const SourceFiles one{{"images/a/1.png", goodImage()}, {"images/a/2.png", goodImage()}};
    return {
        {"no such folder", folderJob(), {}, "data.directory: there is no directory"},
        {"no class folders", folderJob(), {{"images/.hidden", ""}}, "has no folders in it"},
        {"one class", folderJob(), one, "has one class folder, a"},
        badFolder("an empty class", {{"images/c/.keep", ""}},
                  "the class folder c holds no .jpg, .jpeg or .png file"),
        badFolder("a class of other files", {{"images/c/1.gif", "GIF89a"}},
                  "the class folder c holds no .jpg, .jpeg or .png file"),
        badFolder("an image beside", {{"images/1.png", goodImage()}},
                  "1 image lies beside the class folders"),
        badFolder("a class that only validation has", {{"held/c/1.png", goodImage()}},
                  "data.validation_directory: there is a class folder c",
                  "validation_directory = \"held\"\n"),
        badFolder("a class that only the test has", {{"last/c/1.png", goodImage()}},
                  "data.test_directory: there is a class folder c", "test_directory = \"last\"\n"),
        {"all validates", folderJob("", "images") + "validation_split = 0.99\n", goodFolder(),
         "data.validation_split is 0.99, which leaves none of 4 samples to train on"},
        {"no size", "dataset = \"image_folder\"\ndirectory = \"images\"\nvalidation_samples = 2\n",
         goodFolder(), "data.image_size is not set"},
    };
}

inline BadSources badTars() {
    const std::string png = goodImage();
    const SourceFiles four{{"a/1.png", png}, {"a/2.png", png}, {"b/1.png", png}, {"b/2.png", png}};
    const std::string good = tests::tarOf(four);
    const auto tar = [](const char* name, const std::string& archive, const char* words,
                        const std::string& inside = {}) {
        return BadSource{name, folderJob({}, "all.tar" + inside), {{"all.tar", archive}}, words};
    };
    std::string changed = good;
    changed[3] = 'z';
    return {
        tar("empty", "", "all.tar: it is no tar archive"),
        tar("a text", std::string(2000, 'x'), "all.tar: it is no tar archive"),
        tar("a changed byte", changed, "all.tar: it is no tar archive"),
        tar("cut off within a file", good.substr(0, 1024 + 600),
            "all.tar: it is a tar archive that is cut off"),
        tar("cut off between files", good.substr(0, 1024),
            "all.tar: it is a tar archive that is cut off"),
        tar("no such folder", good, "holds no files in c", ":c"),
        tar("a link that leads nowhere",
            tests::tarEntry("a/1.png", png) + tests::tarEntry("b/1.png", "", '2', "c.png") +
                std::string(1024, '\0'),
            "b/1.png is a link to b/c.png, which is no file of the archive"),
        tar("one class", tests::tarOf({{"a/1.png", png}}), "has one class folder, a"),
        tar("a class of other files", tests::tarOf({{"a/1.png", png}, {"b/1.txt", "x"}}),
            "the class folder b holds no .jpg, .jpeg or .png file"),
        tar("an image that is none",
            tests::tarOf({{"a/1.png", png}, {"a/2.png", png}, {"b/1.png", "x"}, {"b/2.png", png}}),
            "b/1.png is neither a JPEG nor a PNG image"),
    };
}

// ---- IDX ---------------------------------------------------------------------------------------

inline std::string bigEndianText(std::uint32_t value) {
    std::string text = tests::numberText(value, 4);
    return {text.rbegin(), text.rend()};
}

/// `count` images of 8 x 8.
inline std::string idxImagesOf(std::uint32_t count) {
    return bigEndianText(0x803) + bigEndianText(count) + bigEndianText(8) + bigEndianText(8) +
           std::string(std::size_t{count} * 64, 'x');
}
inline std::string idxLabelsOf(std::uint32_t count) {
    std::string labels = bigEndianText(0x801) + bigEndianText(count);
    for (std::uint32_t i = 0; i < count; ++i)
        labels += static_cast<char>(i % 10);
    return labels;
}

/// Forty training samples and ten to test with, of which one file has another content.
inline BadSource badIdx(const char* name, const std::string& file, const std::string& content,
                        const char* words) {
    SourceFiles files{{"d/train-images-idx3-ubyte", idxImagesOf(40)},
                      {"d/train-labels-idx1-ubyte", idxLabelsOf(40)},
                      {"d/t10k-images-idx3-ubyte", idxImagesOf(10)},
                      {"d/t10k-labels-idx1-ubyte", idxLabelsOf(10)}};
    for (auto& [path, bytes] : files)
        if (path == "d/" + file) bytes = content;
    return {name, "dataset = \"mnist\"\ndirectory = \"d\"\nvalidation_samples = 10\n",
            std::move(files), words};
}

inline BadSources badIdxFiles() {
    const char* images = "train-images-idx3-ubyte";
    const char* labels = "train-labels-idx1-ubyte";
    std::string odd = idxLabelsOf(40);
    odd[8 + 32] = 10;
    const std::string sides =
        bigEndianText(0x803) + bigEndianText(1) + bigEndianText(0) + bigEndianText(4);
    return {
        badIdx("empty", images, "", "train-images-idx3-ubyte: it has 0 bytes, too few for IDX"),
        badIdx("images cut short", images, idxImagesOf(40).substr(0, 1000),
               "train-images-idx3-ubyte: its header announces"),
        badIdx("labels cut short", labels, idxLabelsOf(40).substr(0, 20),
               "train-labels-idx1-ubyte: its header announces"),
        badIdx("a byte too many", images, idxImagesOf(40) + "x",
               "train-images-idx3-ubyte: its header announces"),
        badIdx("labels for images", images, idxLabelsOf(40),
               "train-images-idx3-ubyte: it should hold images (IDX, magic 0x00000803) but holds "
               "labels"),
        badIdx("a PNG for labels", labels, goodImage(),
               "holds something else (it begins with 0x89504e47)"),
        badIdx("a label out of range", labels, odd, "label 10 of sample 32 is out of range"),
        badIdx("fewer labels than images", labels, idxLabelsOf(39), "39"),
        badIdx("images of no rows", images, sides, "sides from 1 to"),
        badIdx("no images", images, idxImagesOf(0), "it holds no images"),
    };
}

}  // namespace lockstep::data::test
