// Energy per event, each an interval with its source and grade: energy.yaml, and a file of a user's on top of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft {

enum class EnergyEvent : std::uint8_t { link_bit, switch_bit, hbm_bit, l2_byte, memory_side_byte, operation, idle };
constexpr std::size_t energy_event_count = 7;
const char* section_of(EnergyEvent event);  // key of the table

struct EnergyFigure {
    double low = 0;  // pJ for an event; idle: W
    double high = 0;
    std::string source;
    std::string grade;
};

class EnergyTable {
public:
    // The table of the program.
    EnergyTable();

    // Entries of a file in the same form take the place of those of the same name, and `none` takes them away; throws InputError.
    void read(const std::string& path);
    void read(const std::string& file, const std::string& text);

    // By kind of link (link_bit, switch_bit) or profile. Null: not known.
    const EnergyFigure* find(EnergyEvent event, const std::string& name) const;
    // Rows of files that were read on top of the program's, with their places.
    struct Row {
        EnergyEvent event;
        std::string name;
        std::string place;
    };
    const std::vector<Row>& rows_of_files() const { return rows_; }

private:
    std::array<std::map<std::string, EnergyFigure>, energy_event_count> figures_;
    std::vector<Row> rows_;
};

const char* energy_table_text();  // of the program

}  // namespace weft
