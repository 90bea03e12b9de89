// A library that cannot be used is refused in one line, before anything is simulated.
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "base/version.h"
#include "testbenches/plugin/built_examples.h"

using namespace weft::plugin_test;

namespace {

void expect_refused(const std::string& file, const std::string& what)
{
    const auto outcome = weft::plugin_test::weft({"models", "--plugin", file});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.compare(0, file.size() + what.size() + 2, file + ": " + what), 0) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

std::string defect(const std::string& name) { return built_examples().folder + "/plugin_" + name + ".so"; }

}  // namespace

TEST(PluginRefusal, MissingFile)
{
    expect_refused("/nowhere/libmine.so", "no such plug-in; expected a shared library");
}

TEST(PluginRefusal, AFolder) { expect_refused(built_examples().folder, "is not a file; expected"); }

TEST(PluginRefusal, NoSharedLibrary)
{
    const std::string file = built_examples().folder + "/text.so";
    weft::write_text_file(file, "not a library\n");
    expect_refused(file, "cannot be loaded: ");
}

TEST(PluginRefusal, NoEntryPoint) { expect_refused(defect("no_entry"), "has no entry point weft_register; expected"); }

TEST(PluginRefusal, AnotherVersion)
{
    expect_refused(defect("old_version"),
        "was compiled against version 99 of the plug-in interface; expected one "
        "compiled against version " +
            std::to_string(WEFT_PLUGIN_INTERFACE));
}

TEST(PluginRefusal, TheFirstVersion)
{
    expect_refused(defect("first_version"),
        "was compiled against version 1 of the plug-in interface; expected one "
        "compiled against version " +
            std::to_string(WEFT_PLUGIN_INTERFACE));
}

TEST(PluginRefusal, TheVersionIsThatOfThePage)
{
    const std::string page = weft::read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/user_switch.md");
    EXPECT_NE(page.find("version " + std::to_string(WEFT_PLUGIN_INTERFACE) + " of this Weft's headers"),
        std::string::npos);
}

TEST(PluginRefusal, AdaptersOfAnotherSize)
{
    expect_refused(defect("other_sizes"), "was compiled against another Weft: its adapters have ");
}

TEST(PluginRefusal, SomethingThatNobodyHas) { expect_refused(defect("unresolved"), "cannot be loaded: "); }

TEST(PluginRefusal, ANameThatIsTaken)
{
    expect_refused(defect("taken_name"), "the name 'switch' of kind switch is taken; expected another name");
}

TEST(PluginRefusal, ABlockOfParametersThatIsTaken)
{
    expect_refused(defect("taken_block"), "the name 'l2' of a block of parameters is taken; expected another name");
}

TEST(PluginRefusal, ADefaultOutOfItsRange)
{
    expect_refused(defect("wrong_default"),
        "the default of parameter mine.size is out of its range; expected a declaration without contradictions");
}

TEST(PluginRefusal, TheSameTwice)
{
    const std::string& file = built_examples().my_switch;
    const auto outcome = weft::plugin_test::weft({"models", "--plugin", file, "--plugin", file});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("the name 'my_switch' of kind switch is taken"), std::string::npos) << outcome.err;
}

TEST(PluginRefusal, AnEntryPointThatThrows) { expect_refused(defect("throws"), "its entry point failed: no licence"); }

TEST(PluginRefusal, WithoutThePluginTheNameIsUnknown)
{
    const auto outcome =
        weft::plugin_test::weft({"explain", "examples/dgx_h100/system.yaml", "--model", "*.nvsw.*=my_switch"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("my_switch"), std::string::npos);
}
