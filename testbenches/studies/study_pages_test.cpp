// The numbers of a study's page are those of its results.txt, and that is what its run.sh prints.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <unistd.h>

#include <gtest/gtest.h>

namespace study_pages_test {

namespace fs = std::filesystem;

namespace {

const fs::path examples = fs::path(WEFT_SOURCE_DIR) / "examples";

std::string text_of(const fs::path& file)
{
    std::ifstream in(file);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::vector<std::string> studies()
{
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(examples))
        if (fs::exists(entry.path() / "run.sh")) out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
}

// Every number that stands alone in the results: `30.1936 us` and `114650`.
std::vector<double> numbers_of(const std::string& results)
{
    std::vector<double> out;
    std::istringstream words(results);
    std::string word;
    while (words >> word) {
        char* end = nullptr;
        const double value = std::strtod(word.c_str(), &end);
        if (*end == '\0') out.push_back(value);
    }
    return out;
}

// Times (`30.19 us`, `4.5 ms`) and counts (`1,895,506`) in the rows of a page's tables that no number of the results rounds to.
std::string unknown_numbers(const std::string& page, const std::vector<double>& known)
{
    static const std::regex number(R"(([0-9]+(?:\.([0-9]+))?) [um]s|\b([0-9]{1,3}(?:,[0-9]{3})+)\b)");
    std::string out;
    std::vector<std::string> lines;
    std::istringstream in(page);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    lines.emplace_back();
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        const std::string& line = lines[i];
        // Heads of tables and names of rows are settings.
        if (line.empty() || line[0] != '|' || lines[i + 1].rfind("|---", 0) == 0) continue;
        const std::string cells = line.substr(line.find('|', 1));
        for (std::sregex_iterator it(cells.begin(), cells.end(), number), end; it != end; ++it) {
            std::string digits = (*it)[1].matched ? (*it)[1].str() : (*it)[3].str();
            digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
            const double step = std::pow(10, -static_cast<double>((*it)[2].length()));
            const double value = std::stod(digits);
            const bool found = std::any_of(known.begin(), known.end(),
                [&](double one) { return std::abs(one - value) <= step * 0.5000001; });
            if (!found) out += it->str() + " in " + line + "\n";
        }
    }
    return out;
}

}  // namespace

TEST(StudyPages, NumbersOfTablesAreThoseOfTheResults)
{
    ASSERT_GE(studies().size(), 6U);
    for (const std::string& study : studies()) {
        const std::vector<double> known = numbers_of(text_of(examples / study / "results.txt"));
        ASSERT_GE(known.size(), 20U) << study;
        EXPECT_EQ(unknown_numbers(text_of(examples / study / "README.md"), known), "") << study;
    }
    const std::vector<double> known = numbers_of("x 30.1936 us 1895506 off");
    EXPECT_EQ(unknown_numbers(
                  "| L2 | 9 us | 8 us |\n|---|---|---|\n| L2 | 30.19 us | 1,895,506 |\n| 99 us | 30.2 us |\nat 7 us\n",
                  known),
        "");
    EXPECT_EQ(unknown_numbers("| L2 | 30.20 us |\n", known), "30.20 us in | L2 | 30.20 us |\n");
    EXPECT_EQ(unknown_numbers("| L2 | 30.20 ms |\n", known), "30.20 ms in | L2 | 30.20 ms |\n");
    EXPECT_EQ(unknown_numbers("| L2 | 1,895,507 |\n", known), "1,895,507 in | L2 | 1,895,507 |\n");
}

class StudyResults : public ::testing::TestWithParam<std::string> {};

TEST_P(StudyResults, AreWhatItsCommandPrints)
{
    const fs::path folder = fs::temp_directory_path() / ("weft_" + GetParam() + "_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const fs::path printed = folder / "results.txt";
    const std::string command = "WEFT=" WEFT_PROGRAM " " + (examples / GetParam() / "run.sh").string() + " " +
        folder.string() + " > " + printed.string() + " 2> " + (folder / "err").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << text_of(folder / "err");
    EXPECT_EQ(text_of(printed), text_of(examples / GetParam() / "results.txt"));
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".svg") continue;
        EXPECT_EQ(text_of(entry.path()), text_of(examples / GetParam() / entry.path().filename()))
            << entry.path().filename();
    }
    fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(All, StudyResults, ::testing::ValuesIn(studies()),
    [](const ::testing::TestParamInfo<std::string>& info) { return info.param.substr(6); });

}  // namespace study_pages_test
