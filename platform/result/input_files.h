// The files that a result depends on, with digests: two runs of the same program with the same arguments and the same
// files give the same result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

struct InputFile {
    std::string path;  // as it was opened
    std::uint64_t bytes = 0;
    std::string digest;  // file_digest(); empty: there was no file
};

// A version 5 UUID (SHA-1) of the bytes. Empty when there is no regular file that can be read.
std::string file_digest(const std::string& path);
std::string text_digest(const std::string& text);

// Of the program that runs.
const std::string& program_digest();

// All files that this process has read until now, by path.
std::vector<InputFile> input_files();

// {"schema": "weft.inputs/1", "version", "program", "files": [{"path", "bytes", "digest"}]}
std::string inputs_json(const std::string& version, const std::vector<InputFile>& files);

// Why `record`, the text of inputs_json(), does not describe this program and the files as they are now: "system.yaml has
// changed". Empty: it does. Throws InputError, with `name`, for a text that inputs_json() does not write.
std::string out_of_date(const std::string& record, const std::string& name);

}  // namespace weft
