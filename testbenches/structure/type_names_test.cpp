// A type's name stands for one type. Two types of one namespace and name in two headers break the program where both are linked: the
// linker keeps one copy of what templates make of them, and no compiler sees both.
#include <map>
#include <regex>

#include <gtest/gtest.h>

#include "testbenches/structure/source_rules.h"

namespace type_names_test {

using namespace weft::structure;

namespace {

bool is_header(const std::string& path) { return path.size() > 2 && path.compare(path.size() - 2, 2, ".h") == 0; }

// Types defined at the outermost level of a named namespace, by their full name; each with every header that defines it.
class TypeNames {
public:
    void read(const SourceFile& source)
    {
        static const std::regex opens(R"(namespace ([\w:]+)\s*\{)");
        static const std::regex defines(
            R"((?:struct|class|enum class)(?: alignas\(\w+\))? (\w+)(?: final)?(?: [:{].*)?)");
        std::string space;
        for (std::size_t i = 0; i < source.lines.size(); ++i) {
            const std::string& line = source.lines[i];
            std::smatch found;
            if (std::regex_match(line, found, opens)) space = found[1];
            if (line.rfind("}  // namespace", 0) == 0) space.clear();
            if (space.empty() || !std::regex_match(line, found, defines)) continue;
            places_[space + "::" + found[1].str()].push_back(source.path + ":" + std::to_string(i + 1));
        }
    }

    std::size_t count() const { return places_.size(); }
    std::vector<std::string> taken_twice() const
    {
        std::vector<std::string> out;
        for (const auto& [name, places] : places_) {
            if (places.size() < 2) continue;
            std::string text = name + " is defined in";
            for (const std::string& place : places) text += " " + place;
            out.push_back(text);
        }
        return out;
    }

private:
    std::map<std::string, std::vector<std::string>> places_;
};

}  // namespace

TEST(TypeNames, EachStandsForOneType)
{
    TypeNames names;
    for (const SourceFile& source : read_sources(WEFT_SOURCE_DIR))
        if (is_header(source.path)) names.read(source);
    EXPECT_GT(names.count(), 500u);
    for (const std::string& text : names.taken_twice()) ADD_FAILURE() << text;
}

TEST(TypeNames, ASecondTypeOfTheSameNameIsReported)
{
    TypeNames names;
    names.read({"gpu/a.h",
        {"namespace weft {", "struct Part {", "    struct Inner {", "    };", "};", "}  // namespace weft"}});
    names.read(
        {"gpu/b.h", {"namespace weft {", "struct Part;", "enum class Kind : int { one };", "}  // namespace weft"}});
    names.read(
        {"gpu/c.h", {"namespace weft::c {", "class Part final : public Base {", "};", "}  // namespace weft::c"}});
    EXPECT_EQ(names.taken_twice(), std::vector<std::string>());
    names.read({"base/d.h",
        {"", "namespace weft {", "class Part {", "};", "enum class Kind { two };", "}  // namespace weft"}});
    EXPECT_EQ(names.taken_twice(),
        (std::vector<std::string>{"weft::Kind is defined in gpu/b.h:3 base/d.h:5",
            "weft::Part is defined in gpu/a.h:2 base/d.h:3"}));
}

}  // namespace type_names_test
