// Latency against offered load as an SVG picture: a simulated curve beside published points.
#pragma once

#include <string>
#include <vector>

namespace weft::testing {

struct CurvePoint {
    double load = 0;        // lines per endpoint and clock
    double published = 0;   // clocks; 0: none
    double simulated = 0;   // clocks
    double half_width = 0;  // of its 95 % interval
    bool steady = true;     // latency does not grow with the length of the run
};

struct Curve {
    std::string title;
    std::string reference;           // who published
    std::vector<CurvePoint> points;  // ascending
    double saturation = 0;
    double published_from = 0;  // saturation
    double published_to = 0;
};

// Latencies above `most` clocks are off the picture: a line leads there.
std::string curve_svg(const Curve& curve, double most);

}  // namespace weft::testing
