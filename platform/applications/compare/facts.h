// A result as a flat list of facts, in the order of its file: what two results are compared by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

// Groups, in the order in which differences are shown. A tolerance holds for times, bandwidths, causes and links unless it
// names others.
enum class FactGroup : std::uint8_t {
    checks,
    setup,
    parameters,
    times,
    bandwidths,
    causes,
    links,
    queues,
    errors,
    modules
};
const char* name_of(FactGroup group);
const std::vector<std::string>& fact_group_names();
bool is_judged(FactGroup group);  // by a tolerance that names nothing

struct Fact {
    FactGroup group = FactGroup::setup;
    std::string element;          // "rank.3", "dgx.0.xpu.0~dgx.0.nvsw.0"; may be empty
    std::string field;            // "finish", "busbw"; may be empty
    std::string unit;             // "ps", "GB/s", "B", "" for words and counts
    std::optional<double> value;  // absent: a word, or unknown
    std::string text{};           // of a word; a number as the file has it
    // The base of a change in per cent; absent: the value itself in the first result. For parts of a whole, whose own size says little.
    std::optional<double> whole{};
    bool at_least = false;  // the value is a lower bound

    std::string name() const;  // "GROUP.ELEMENT.FIELD", which patterns of --tolerance match
};

// The parts that an energy leaves out.
struct EnergyLeftOut {
    std::string element;  // the point of a sweep; empty: of a run
    std::vector<std::string> parts;
};

// An energy of an event, in the result of a run.
struct EnergyFigureOf {
    std::string part;    // "links nvlink_4"
    std::string figure;  // "5 to 7 pJ/bit"
    std::string source;
};

// A point of a table: as its file writes it, and what identifies it in another file (match_points.h).
struct PointName {
    std::string element;
    std::string identity;
};

// A collective of a trace: what identifies it in another result (match_collectives.h).
struct ComparedCollective {
    std::string op;
    std::string group;
    std::string ranks;
    std::string name;
    std::string bytes;
};

struct Facts {
    std::string file;
    std::string schema;
    std::string title;  // what was simulated, in a few words
    bool partial = false;
    std::size_t ranks = 0;                          // of a run
    std::vector<EnergyLeftOut> energy_unknown{};    // of everything with an energy
    std::vector<EnergyFigureOf> energy_figures{};   // of a run
    std::vector<PointName> points{};                // of a table
    std::vector<ComparedCollective> collectives{};  // of a run, in the order of their start
    bool collectives_known = false;                 // all of them are of a group
    std::vector<Fact> facts;
};

}  // namespace weft
