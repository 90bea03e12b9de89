#include "platform/applications/sweep/sweep_points.h"

#include <algorithm>

#include "platform/configuration/parameters/glob.h"
#include "platform/console/messages.h"

namespace weft {

namespace {

constexpr std::size_t most_points = 100'000;

const std::string model_key = "model:";
const std::string system_key = "system";

SweepAxis parse_axis(const std::string& text, const std::vector<std::string>& options)
{
    const auto malformed = [&](const std::string& what) {
        return usage_error("--over " + quoted_word(text) + " " + what,
            "KEY=V1,V2,..., such as bytes=1MiB,2MiB or l2.size=20MiB,40MiB");
    };
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) throw malformed("names no values");
    SweepAxis axis;
    axis.key = text.substr(0, equals);
    axis.values = split_globs(std::string_view(text).substr(equals + 1));
    for (const std::string& value : axis.values)
        if (value.empty()) throw malformed("has an empty value");
    if (axis.key.compare(0, model_key.size(), model_key) == 0) {
        if (axis.key == model_key) throw malformed("names no nodes");
        axis.kind = SweepAxis::Kind::model;
    } else if (axis.key == system_key && std::find(options.begin(), options.end(), system_key) != options.end()) {
        axis.kind = SweepAxis::Kind::system;
    } else if (std::find(options.begin(), options.end(), axis.key) != options.end()) {
        axis.kind = SweepAxis::Kind::option;
    } else if (axis.key.find('.') == std::string::npos) {
        throw usage_error("unknown key " + quoted_word(axis.key) + " of '--over'",
            with_nearest("a parameter such as l2.size, model:GLOB, or " + one_of(options), axis.key, options));
    }
    return axis;
}

}  // namespace

const std::vector<std::string>& sweep_options()
{
    static const std::vector<std::string> names{"system", "collective", "plan", "bytes", "algorithm", "ranks",
        "element", "reduction", "root", "rings", "pipeline", "delay", "profile", "seed", "fidelity", "grain"};
    return names;
}

std::string SweepAxis::glob() const { return key.substr(model_key.size()); }

std::string SweepAxis::argument(const std::string& value) const
{
    switch (kind) {
    case Kind::option: return "--" + key + "=" + value;
    case Kind::model: return "--model=" + glob() + "=" + value;
    case Kind::system: return value;
    case Kind::parameter: break;
    }
    return "--set=" + key + "=" + value;
}

std::vector<SweepAxis> parse_axes(const std::vector<std::string>& texts, const Arguments& given,
    const std::vector<std::string>& options)
{
    if (texts.empty()) throw usage_error("--over is missing", "--over KEY=V1,V2,...");
    std::vector<SweepAxis> axes;
    std::size_t points = 1;
    for (const std::string& text : texts) {
        SweepAxis axis = parse_axis(text, options);
        for (const SweepAxis& other : axes)
            if (other.key == axis.key)
                throw usage_error("--over names " + quoted_word(axis.key) + " twice", "each key once");
        const std::string option = "--" + axis.key + "=";
        for (const std::string& argument : given)
            if (axis.kind == SweepAxis::Kind::option && argument.compare(0, option.size(), option) == 0)
                throw usage_error("both --" + axis.key + " and --over " + axis.key + " are given", "one of them");
        const std::string set = "--set=" + axis.key + "=";
        for (const std::string& argument : given)
            if (axis.kind == SweepAxis::Kind::parameter && argument.compare(0, set.size(), set) == 0)
                throw usage_error("both --set " + axis.key + " and --over " + axis.key + " are given", "one of them");
        points *= axis.values.size();
        if (points > most_points)
            throw usage_error("the sweep has more than " + std::to_string(most_points) + " points", "fewer values");
        axes.push_back(std::move(axis));
    }
    return axes;
}

std::vector<SweepPoint> combine(const std::vector<SweepAxis>& axes)
{
    std::vector<SweepPoint> points{{}};
    for (const SweepAxis& axis : axes) {
        std::vector<SweepPoint> longer;
        for (const SweepPoint& point : points) {
            for (const std::string& value : axis.values) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

Arguments point_arguments(const std::vector<SweepAxis>& axes, const SweepPoint& point)
{
    Arguments out;
    for (std::size_t i = 0; i < axes.size(); ++i) out.push_back(axes[i].argument(point[i]));
    return out;
}

}  // namespace weft
