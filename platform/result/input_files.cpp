#include "platform/result/input_files.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/read_files.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

// The null UUID as namespace: what is named are bytes, wherever they are.
const boost::uuids::uuid no_namespace{};

std::optional<std::string> bytes_of(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || error) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::ostringstream out;
    out << in.rdbuf();
    return std::move(out).str();
}

}  // namespace

std::string text_digest(const std::string& text)
{
    return boost::uuids::to_string(boost::uuids::name_generator_sha1(no_namespace)(text.data(), text.size()));
}

std::string file_digest(const std::string& path)
{
    const std::optional<std::string> bytes = bytes_of(path);
    return bytes ? text_digest(*bytes) : "";
}

const std::string& program_digest()
{
    static const std::string digest = file_digest("/proc/self/exe");
    return digest;
}

std::vector<InputFile> input_files()
{
    std::vector<InputFile> files;
    for (const std::string& path : read_files()) {
        const std::optional<std::string> bytes = bytes_of(path);
        files.push_back({path, bytes ? bytes->size() : 0, bytes ? text_digest(*bytes) : ""});
    }
    return files;
}

std::string inputs_json(const std::string& version, const std::vector<InputFile>& files)
{
    Json out;
    out["schema"] = "weft.inputs/1";
    out["version"] = version;
    out["program"] = program_digest();
    out["files"] = Json::array();
    for (const InputFile& file : files)
        out["files"].push_back(
            {{"path", file.path}, {"bytes", file.bytes}, {"digest", file.digest.empty() ? Json() : Json(file.digest)}});
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string out_of_date(const std::string& record, const std::string& name)
{
    try {
        const Json in = Json::parse(record);
        if (in.at("program") != program_digest()) return "the program is another";
        for (const Json& file : in.at("files")) {
            const std::string path = file.at("path");
            const std::string before = file.at("digest").is_null() ? "" : std::string(file.at("digest"));
            const std::string now = file_digest(path);
            if (now == before) continue;
            return path + (now.empty() ? " is gone" : before.empty() ? " is new" : " has changed");
        }
        return "";
    } catch (const Json::exception&) {
        throw InputError(name, 0, "is no list of input files", "what weft run --inputs writes");
    }
}

}  // namespace weft
