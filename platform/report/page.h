// One self-contained HTML page: what it shows, it holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

// A cell; `exact` is the number behind a text such as "1.3 us", which tables sort by and tests compare.
struct HtmlCell {
    std::string text;
    std::string exact{};
};

struct HtmlTable {
    struct Column {
        std::string title;
        bool number = false;
    };
    std::string id;
    std::vector<Column> columns;
    std::vector<std::vector<HtmlCell>> rows;
    bool filter = false;      // a field that hides rows without a word
    std::size_t most = 2000;  // rows that are shown; the rest is in the data
};

class HtmlPage {
public:
    HtmlPage(std::string title, std::string subtitle);

    // A figure of the answer at the top. `state`: "", "good", "bad".
    void figure(const std::string& value, const std::string& what, const std::string& state = "");
    // Of the answer, too: a numbered list under a line.
    void causes(const std::string& line, const std::vector<std::string>& words);
    void section(const std::string& id, const std::string& title);
    void paragraph(const std::string& text);
    void text(const std::string& text);  // as it was laid out
    void list(const std::vector<std::string>& lines);
    void table(const HtmlTable& table);
    // SVG of ours; `paper`: it has dark text on white whatever the scheme.
    void picture(const std::string& svg, bool paper = false);
    // Colours and their words; `of`: what they are the colours of, where a picture has several legends.
    void legend(const std::vector<std::pair<std::string, std::string>>& colours, const std::string& of = "");
    // JSON that scripts and people find by its id.
    void data(const std::string& id, const std::string& json);

    std::string finish() const;

private:
    std::string title_;
    std::string subtitle_;
    std::string figures_;
    std::string causes_;
    std::vector<std::pair<std::string, std::string>> sections_;  // id, title
    std::string body_;
    std::string data_;
};

}  // namespace weft
