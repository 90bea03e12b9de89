#include "testbenches/structure/page_names.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "base/text_file.h"

namespace weft::structure {

namespace fs = std::filesystem;

namespace {

// `name` as seen from the folder of `page`, without `.` and `..`.
std::string beside(const std::string& page, const std::string& name)
{
    return (fs::path(page).parent_path() / name).lexically_normal().generic_string();
}

bool has_file(const std::set<std::string>& files, const std::string& page, const std::string& name)
{
    if (files.count(name) > 0 || files.count(beside(page, name)) > 0) return true;
    const std::string tail = "/" + name;
    return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
        return file.size() > tail.size() && file.compare(file.size() - tail.size(), tail.size(), tail) == 0;
    });
}

bool has_folder(const std::set<std::string>& files, std::string folder)
{
    if (folder.empty() || folder == ".") return true;
    if (folder.back() != '/') folder += '/';
    const auto next = files.lower_bound(folder);
    return next != files.end() && next->compare(0, folder.size(), folder) == 0;
}

}  // namespace

std::set<std::string> read_file_names(const std::string& root)
{
    std::set<std::string> out;
    for (fs::recursive_directory_iterator entry(root), end; entry != end; ++entry) {
        const std::string name = entry->path().filename().generic_string();
        if (entry->is_directory() && (name[0] == '.' || name.compare(0, 5, "build") == 0))
            entry.disable_recursion_pending();
        else if (!entry->is_directory())
            out.insert(entry->path().lexically_relative(root).generic_string());
    }
    return out;
}

std::vector<SourceFile> read_pages(const std::string& root, const std::set<std::string>& files)
{
    std::vector<SourceFile> out;
    for (const std::string& file : files) {
        if (fs::path(file).extension() != ".md" || file == "CHANGELOG.md") continue;
        SourceFile page{file, {""}};
        for (const char c : read_text_file((fs::path(root) / file).string()))
            if (c == '\n')
                page.lines.emplace_back();
            else
                page.lines.back() += c;
        out.push_back(std::move(page));
    }
    return out;
}

std::vector<Finding> check_names(const SourceFile& page, const std::set<std::string>& files)
{
    static const std::regex code("`([^`]+)`");
    static const std::regex file_name(R"(([\w./-]*\w\.(?:cpp|h|sv|svh|py|md))(?::\d+)?)");
    static const std::regex folder_name(R"((?:[\w-]+/)+)");
    static const std::regex link(R"(\]\(([^)#\s]+)(?:#[^)]*)?\))");
    std::vector<Finding> out;
    bool fenced = false;
    for (std::size_t i = 0; i < page.lines.size(); ++i) {
        const std::string& text = page.lines[i];
        if (text.find_first_not_of(' ') != std::string::npos &&
            text.compare(text.find_first_not_of(' '), 3, "```") == 0)
            fenced = !fenced;
        if (fenced) continue;
        const auto report = [&](const std::string& what) { out.push_back({page.path, static_cast<int>(i + 1), what}); };
        for (std::sregex_iterator found(text.begin(), text.end(), code), end; found != end; ++found) {
            const std::string word = (*found)[1];
            std::smatch parts;
            if (std::regex_match(word, parts, file_name)) {
                if (!has_file(files, page.path, parts[1]))
                    report("names the file `" + word + "`, which does not exist");
            } else if (std::regex_match(word, folder_name)) {
                const bool ours = has_folder(files, word.substr(0, word.find('/')));
                if (ours && !has_folder(files, word)) report("names the folder `" + word + "`, which does not exist");
            }
        }
        for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found) {
            const std::string target = (*found)[1];
            if (target.find("://") != std::string::npos) continue;
            const std::string at = beside(page.path, target);
            if (files.count(at) == 0 && !has_folder(files, at)) report("links to " + target + ", which does not exist");
        }
    }
    return out;
}

}  // namespace weft::structure
