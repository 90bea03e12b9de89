// The picture of a transfer in the page is one of a real run.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "testbenches/rtl/cache/llc_script.h"

namespace weft::llc_page_test {
namespace {

class LlcPage : public test::LlcKindTest {};

// A clock a column: a miss, then a hit on another line while it waits, then an atomic to the line on its way.
std::string picture(test::LlcBlock& block)
{
    test::LlcScript script(block, 8);
    script.ask(test::llc_write(0));
    script.finish();
    script.run(3);
    script.ask(test::llc_read(64));
    script.ask(test::llc_read(0));
    script.ask(test::llc_add(64, 1));
    const std::vector<const char*> names = {"req_valid", "req.tag", "miss", "hit", "merged", "mem_read_valid",
        "mem_resp_valid", "resp_valid", "resp.tag"};
    std::vector<std::string> rows;
    for (const char* const name : names) {
        rows.emplace_back(name);
        rows.back().resize(16, ' ');
    }
    for (int i = 0; i < 20; ++i) {
        script.run(1);
        const LlcIn& in = script.in;
        const LlcOut& out = script.out;
        // The script has gone on to what comes next where its line was taken.
        const bool fill = script.fill_was_on_pins();
        const auto level = [](bool high) { return high ? "##" : "__"; };
        const auto tag = [](bool valid, std::uint32_t number) { return valid ? " " + std::to_string(number) : "  "; };
        const std::string cells[] = {level(in.req_valid), tag(in.req_valid, in.req.tag()), level(out.miss),
            level(out.hit), level(out.merged), level(out.mem_read_valid), level(fill), level(out.resp_valid),
            tag(out.resp_valid, out.resp.tag())};
        for (std::size_t row = 0; row < rows.size(); ++row) rows[row] += cells[row];
    }
    std::string text;
    for (std::string& row : rows) {
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text;
}

TEST_P(LlcPage, ShowsARealRun)
{
    const auto block = make({});
    const std::string drawn = picture(*block);
    std::ifstream in(WEFT_SOURCE_DIR "/docs/rtl/cache.md");
    std::ostringstream page;
    page << in.rdbuf();
    EXPECT_NE(page.str().find(drawn), std::string::npos) << drawn;
}

WEFT_LLC_KINDS(LlcPage);

}  // namespace
}  // namespace weft::llc_page_test
