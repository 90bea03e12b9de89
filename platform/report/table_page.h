// The report of a command whose result is a table: `weft sweep`, `fabric`, `probe`, `validate`.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct TablePage {
    std::string title;
    std::string subtitle;
    struct Picture {
        std::string title;
        std::string svg;
    };
    struct Figure {
        std::string value;
        std::string what;
        std::string state;  // "", "good", "bad"
    };
    std::vector<Picture> pictures;
    std::string text;               // what the command prints
    std::string json;               // what it writes with --json; tables are made of its lists of rows
    std::vector<Figure> figures{};  // of the answer, at the top
};

// Every list of objects in the JSON becomes a table, with the numbers as they stand there.
std::string table_page(const TablePage& report);

}  // namespace weft
