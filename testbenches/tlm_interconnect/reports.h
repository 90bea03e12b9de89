// Collects SystemC errors instead of failing on them, for tests that provoke them.
#pragma once

#include <string>
#include <vector>

#include <systemc>

namespace weft::testing {

class Reports {
public:
    Reports()
    {
        texts().clear();
        sc_core::sc_report_handler::set_handler(collect);
    }
    Reports(const Reports&) = delete;
    Reports& operator=(const Reports&) = delete;

    std::size_t count() const { return texts().size(); }
    // "type: text", one line each.
    std::string all() const
    {
        std::string out;
        for (const std::string& text : texts()) out += text + "\n";
        return out;
    }
    bool contain(const std::string& part) const { return all().find(part) != std::string::npos; }
    void clear() { texts().clear(); }

private:
    static std::vector<std::string>& texts()
    {
        static std::vector<std::string> instance;
        return instance;
    }
    static void collect(const sc_core::sc_report& report, const sc_core::sc_actions&)
    {
        texts().push_back(std::string(report.get_msg_type()) + ": " + report.get_msg());
    }
};

}  // namespace weft::testing
