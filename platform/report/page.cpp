#include "platform/report/page.h"

#include <algorithm>

#include <fmt/format.h>

#include "platform/report/page_assets.h"
#include "platform/plotting/graph_picture.h"

namespace weft {

namespace {

// Inside <script> a '<' could end the element; in JSON it can be written as an escape, in strings alone, where it is.
std::string script_json(const std::string& json)
{
    std::string out;
    for (const char c : json) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    return out;
}

}  // namespace

HtmlPage::HtmlPage(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle))
{
}

void HtmlPage::figure(const std::string& value, const std::string& what, const std::string& state)
{
    figures_ += fmt::format("<div class=\"figure{}{}\"><b>{}</b><span>{}</span></div>\n", state.empty() ? "" : " ",
        state, xml_text(value), xml_text(what));
}

void HtmlPage::causes(const std::string& line, const std::vector<std::string>& words)
{
    causes_ += "<p>" + xml_text(line) + "</p>\n<ol class=\"causes\">\n";
    for (const std::string& each : words) causes_ += "<li>" + xml_text(each) + "</li>\n";
    causes_ += "</ol>\n";
}

void HtmlPage::section(const std::string& id, const std::string& title)
{
    sections_.emplace_back(id, title);
    body_ += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, xml_text(title));
}

void HtmlPage::paragraph(const std::string& text) { body_ += "<p class=\"dim\">" + xml_text(text) + "</p>\n"; }

void HtmlPage::text(const std::string& text) { body_ += "<pre class=\"scroll\">" + xml_text(text) + "</pre>\n"; }

void HtmlPage::list(const std::vector<std::string>& lines)
{
    body_ += "<ul class=\"warnings\">\n";
    for (const std::string& line : lines) body_ += "<li>" + xml_text(line) + "</li>\n";
    body_ += "</ul>\n";
}

void HtmlPage::table(const HtmlTable& table)
{
    if (table.filter)
        body_ += fmt::format(
            "<div class=\"tools\" hidden=\"hidden\"><label for=\"f-{0}\">only rows with</label><input id=\"f-{0}\" "
            "data-filters=\"{0}\"/></div>\n",
            table.id);
    body_ += fmt::format("<div class=\"scroll\"><table id=\"{}\">\n<thead><tr>", table.id);
    for (const HtmlTable::Column& column : table.columns)
        body_ +=
            fmt::format("<th data-sorts=\"1\"{}>{}</th>", column.number ? " class=\"n\"" : "", xml_text(column.title));
    body_ += "</tr></thead>\n<tbody>\n";
    for (std::size_t r = 0; r < std::min(table.rows.size(), table.most); ++r) {
        body_ += "<tr>";
        for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
            const HtmlCell& cell = table.rows[r][c];
            const bool words = cell.text.size() > 60;
            body_ += fmt::format("<td{}{}>{}</td>",
                table.columns[c].number ? " class=\"n\""
                    : words             ? " class=\"words\""
                                        : "",
                cell.exact.empty() ? "" : fmt::format(" data-v=\"{}\"", cell.exact), xml_text(cell.text));
        }
        body_ += "</tr>\n";
    }
    body_ += "</tbody></table></div>\n";
    if (table.rows.size() > table.most)
        paragraph(
            fmt::format("{} of {} rows are shown; the JSON of the command has all.", table.most, table.rows.size()));
}

void HtmlPage::picture(const std::string& svg, bool paper)
{
    body_ += fmt::format("<div class=\"picture{}\">\n{}</div>\n", paper ? " paper" : "", svg);
}

void HtmlPage::legend(const std::vector<std::pair<std::string, std::string>>& colours, const std::string& of)
{
    body_ += "<div class=\"legend\">";
    if (!of.empty()) body_ += fmt::format("<b>{}</b>", xml_text(of));
    for (const auto& [colour, words] : colours)
        body_ += fmt::format("<span><i style=\"background:{}\"></i>{}</span>", colour, xml_text(words));
    body_ += "</div>\n";
}

void HtmlPage::data(const std::string& id, const std::string& json)
{
    data_ += fmt::format("<script type=\"application/json\" id=\"{}\">\n{}</script>\n", id, script_json(json));
}

std::string HtmlPage::finish() const
{
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
    out += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n", xml_text(title_), page_style());
    out += fmt::format(
        "<header>\n<h1>{}</h1>\n<p class=\"dim\">{}</p>\n<div class=\"answer\">\n{}</div>\n{}</header>\n<nav>",
        xml_text(title_), xml_text(subtitle_), figures_, causes_);
    for (const auto& [id, title] : sections_) out += fmt::format("<a href=\"#{}\">{}</a>", id, xml_text(title));
    out += "</nav>\n<main>\n" + body_ +
        "</main>\n<footer>Written by weft " WEFT_VERSION ". The page needs no network.</footer>\n";
    out += "<div id=\"detail\" hidden=\"hidden\" aria-live=\"polite\"></div>\n" + data_;
    const std::string d3 = page_d3();
    if (!d3.empty()) out += std::string("<script>\n/*\n") + page_d3_licence() + "*/\n" + d3 + "</script>\n";
    out += std::string("<script>\n//<![CDATA[\n") + page_script() + "//]]>\n</script>\n</body>\n</html>\n";
    return out;
}

}  // namespace weft
