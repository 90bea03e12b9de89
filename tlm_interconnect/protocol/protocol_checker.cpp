#include "tlm_interconnect/protocol/protocol_checker.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

namespace {

// A delay of half the range of time and more can only be a difference that went below zero.
constexpr Time negative = Time{1} << 63;

const char* class_name(LineClass cls) { return cls == LineClass::request ? "request" : "response"; }

bool is_word(LineOp op)
{
    return op == LineOp::atomic || op == LineOp::fetch || op == LineOp::await || op == LineOp::monitor;
}
bool is_for_group(LineOp op) { return op == LineOp::multicast || op == LineOp::load_reduce || op == LineOp::reduce; }

}  // namespace

ProtocolChecker::Rules ProtocolChecker::Rules::of(const BufferSpace& space, bool in_order)
{
    Rules rules;
    rules.request_credits = rules.response_credits = 0;
    rules.in_order = in_order;
    rules.space = space;
    rules.by_channel = true;
    return rules;
}

ProtocolChecker::ProtocolChecker(sc_core::sc_module_name name, EventQueue& event_queue, const Rules& rules,
    std::string between, std::vector<std::string>* kept)
    : sc_module(name), target("target"), initiator("initiator"), event_queue_(event_queue), rules_(rules),
      between_(between.empty() ? std::string(this->name()) : std::move(between)), kept_(kept)
{
    target.bind(static_cast<tlm::tlm_fw_transport_if<line_protocol>&>(*this));
    initiator.bind(static_cast<tlm::tlm_bw_transport_if<line_protocol>&>(*this));
    accounts_[0].limit = rules.request_credits;
    accounts_[1].limit = rules.response_credits;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_fw(Line& line, LinePhase& phase, sc_core::sc_time& delay)
{
    const LinePhase sent = phase;
    if (sent == LinePhase::request) {
        on_request(line, arrival(line, delay));
    } else if (sent == LinePhase::response_credit) {
        if (!on_credit(line, LineClass::response, arrival(line, delay))) return tlm::TLM_ACCEPTED;
    } else {
        problem("phase", &line, fmt::format("a {} on the forward path", name_of(sent)));
        return tlm::TLM_ACCEPTED;
    }
    const tlm::tlm_sync_enum answer = initiator->nb_transport_fw(line, phase, delay);
    on_answer(line, sent, phase, answer);
    if (answer == tlm::TLM_UPDATED) arrival(line, delay);
    return answer;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(Line& line, LinePhase& phase, sc_core::sc_time& delay)
{
    const LinePhase sent = phase;
    if (sent == LinePhase::response) {
        if (!on_response(line, arrival(line, delay))) return tlm::TLM_ACCEPTED;
    } else if (sent == LinePhase::request_credit) {
        if (!on_credit(line, LineClass::request, arrival(line, delay))) return tlm::TLM_ACCEPTED;
    } else {
        problem("phase", &line, fmt::format("a {} on the backward path", name_of(sent)));
        return tlm::TLM_ACCEPTED;
    }
    const tlm::tlm_sync_enum answer = target->nb_transport_bw(line, phase, delay);
    on_answer(line, sent, phase, answer);
    if (answer == tlm::TLM_UPDATED) arrival(line, delay);
    return answer;
}

void ProtocolChecker::b_transport(Line& line, sc_core::sc_time& delay)
{
    problem("phase", &line, "a blocking call");
    initiator->b_transport(line, delay);
}

bool ProtocolChecker::get_direct_mem_ptr(Line& line, tlm::tlm_dmi& dmi)
{
    return initiator->get_direct_mem_ptr(line, dmi);
}

void ProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last)
{
    target->invalidate_direct_mem_ptr(first, last);
}

Time ProtocolChecker::arrival(const Line& line, const sc_core::sc_time& delay)
{
    const Time now = event_queue_.now();
    if (to_ps(delay) < negative) return now + to_ps(delay);
    problem("past", &line, fmt::format("a delay that ends {} ps before the current time", Time{0} - to_ps(delay)));
    return now;
}

void ProtocolChecker::on_request(Line& line, Time at)
{
    check_payload(line);
    if (line.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
        problem("status", &line, "a request that already has a response status");
    const auto [entry, fresh] = live_.try_emplace(&line);
    if (!fresh) {
        problem("request", &line,
            entry->second.unanswered ? "sent again before its response"
                                     : "sent again while its response credit is still out");
    }
    check_order(line, LineClass::request, at);
    use_credit(line, LineClass::request, at);
    entry->second = {line.address, line.tag, line.op, line.size, line.depth, true,
        (line.flags & LineHeader::posted_flag) != 0, {true, false}, {line.vc, 0}, at};
}

bool ProtocolChecker::on_response(Line& line, Time at)
{
    const auto found = live_.find(&line);
    if (found == live_.end() || !found->second.unanswered) {
        problem("response", &line, found == live_.end() ? "is a response to no live request" : "a second response");
        return kept_ == nullptr;
    }
    Live& live = found->second;
    if (live.address != line.address || live.tag != line.tag || live.op != line.op || live.size != line.size)
        problem("response", &line,
            fmt::format("is a response to {} of {} B at {:#x} with tag {}", name_of(live.op), live.size, live.address,
                live.tag));
    if (live.depth != line.depth)
        problem("response", &line,
            fmt::format("its return path has {} entries, but that of the request had {}", line.depth, live.depth));
    check_payload(line);
    if (line.get_response_status() != tlm::TLM_OK_RESPONSE)
        problem("status", &line, "a response with " + name_of(line.get_response_status()));
    if (at < live.arrival)
        problem("past", &line, fmt::format("gets a response {} ps before it arrives", live.arrival - at));
    if (live.posted) problem("response", &line, "is a response to a posted write");
    if (live.credit[0] && (rules_.request_credits != 0 || rules_.by_channel))
        problem("credit", &line, "gets a response before its request credit came back");
    check_order(line, LineClass::response, at);
    if (rules_.response_credits == 0 && !rules_.by_channel) {
        live_.erase(found);
        return true;
    }
    use_credit(line, LineClass::response, at);
    live.unanswered = false;
    live.credit = {false, true};
    live.vc[1] = line.vc;
    live.arrival = at;
    return true;
}

bool ProtocolChecker::on_credit(const Line& line, LineClass cls, Time at)
{
    const unsigned index = static_cast<unsigned>(cls);
    if (cls == LineClass::response && rules_.response_credits == 0 && !rules_.by_channel) return true;
    const auto found = live_.find(&line);
    if (found == live_.end() || !found->second.credit[index]) {
        problem("return", &line, fmt::format("a {} credit of a transaction that holds none", class_name(cls)));
        return kept_ == nullptr;
    }
    if (at < found->second.arrival)
        problem("past", &line,
            fmt::format("its {} credit comes back {} ps before it arrives", class_name(cls),
                found->second.arrival - at));
    found->second.credit[index] = false;
    for (std::uint32_t left = accounts_[index].limit != 0 ? line.lines() : 0; left > 0; --left)
        accounts_[index].returning.push(at);
    if (rules_.by_channel) {
        if (line.vc != found->second.vc[index])
            problem("return", &line,
                fmt::format("a credit of channel {} for a transaction that was sent in channel {}", line.vc,
                    found->second.vc[index]));
        for (std::uint32_t left = line.lines(); left > 0; --left) channels_[found->second.vc[index]].returning.push(at);
    }
    if (!found->second.unanswered || found->second.posted) live_.erase(found);
    return true;
}

void ProtocolChecker::on_answer(const Line& line, LinePhase sent, LinePhase now, tlm::tlm_sync_enum answer)
{
    // The line itself may already be on its way elsewhere: only its name is used.
    const bool is_line = sent == LinePhase::request || sent == LinePhase::response;
    if (now != sent) problem("answer", &line, fmt::format("a {} came back as a {}", name_of(sent), name_of(now)));
    if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && !is_line))
        problem("answer", &line,
            fmt::format("the call for a {} returned {}", name_of(sent),
                answer == tlm::TLM_COMPLETED ? "TLM_COMPLETED" : "TLM_UPDATED"));
}

void ProtocolChecker::check_payload(const Line& line)
{
    if (line.size == 0 || line.size > most_transaction_bytes) {
        problem("payload", &line, fmt::format("{} bytes; expected 1 to 64, or lines up to 512", line.size));
    } else if (!line.wide() && line.address % line_bytes + line.size > line_bytes) {
        problem("payload", &line, "crosses the end of its 64-byte line");
    } else if (line.wide() &&
        (line.address % line_bytes != 0 || (line.op != LineOp::read && line.op != LineOp::write))) {
        problem("payload", &line, "a wide transaction that does not read or write whole lines");
    } else if (line.address % most_transaction_bytes + line.size > most_transaction_bytes) {
        problem("payload", &line, "a wide transaction across a multiple of 512 bytes");
    }
    if (is_word(line.op) && (line.size != 8 || line.address % 8 != 0))
        problem("payload", &line, "an atomic that is not one aligned 8-byte word");
    if (is_for_group(line.op) != (line.destination >= first_group))
        problem("payload", &line, "in-switch operations and addresses of groups belong together");
    if ((line.flags & LineHeader::posted_flag) != 0 && line.op != LineOp::write && line.op != LineOp::multicast)
        problem("payload", &line, "only writes can be posted");
    if (line.destination != endpoint_of(line.address))
        problem("payload", &line, fmt::format("destination {} does not own the address", line.destination));
}

void ProtocolChecker::use_credit(const Line& line, LineClass cls, Time at)
{
    if (rules_.by_channel) use_channel(line, at);
    Account& account = accounts_[static_cast<unsigned>(cls)];
    if (account.limit == 0) return;
    settle(account, at);
    account.used += line.lines();
    if (account.used > account.limit)
        problem("credit", &line,
            fmt::format("{} number {} into a buffer for {} transactions", class_name(cls), account.used,
                account.limit));
}

void ProtocolChecker::settle(Account& account, Time at)
{
    for (; !account.returning.empty() && account.returning.top() <= at; account.returning.pop()) --account.used;
}

void ProtocolChecker::use_channel(const Line& line, Time at)
{
    const BufferSpace& space = rules_.space;
    const std::string name = vc_name(line.vc, space.vc_sets());
    if (line.vc >= max_vcs || space.lines[line.vc] == 0) {
        problem("credit", &line, fmt::format("channel {} ({}) does not exist here", line.vc, name));
        return;
    }
    channels_[line.vc].used += line.lines();
    // Requests and answers of one connection travel in opposite directions: each has a pool of its own.
    const auto answers = [](unsigned vc) { return class_of(static_cast<std::uint8_t>(vc)) == VcClass::response; };
    std::uint32_t pooled = 0;
    for (unsigned vc = 0; vc < max_vcs; ++vc) {
        if (answers(vc) != answers(line.vc)) continue;
        Account& account = channels_[vc];
        settle(account, at);
        if (account.used > space.lines[vc]) pooled += account.used - space.lines[vc];
    }
    if (channels_[line.vc].used > space.lines[line.vc] && pooled > space.shared)
        problem("credit", &line,
            fmt::format("{} number {} into a buffer for {} transactions", name, channels_[line.vc].used,
                space.lines[line.vc]) +
                (space.shared > 0 ? fmt::format(" and a pool for {}", space.shared) : ""));
}

void ProtocolChecker::check_order(const Line& line, LineClass cls, Time at)
{
    Account& account = rules_.by_channel ? channels_[line.vc % max_vcs] : accounts_[static_cast<unsigned>(cls)];
    if (rules_.in_order && at < account.last)
        problem("order", &line,
            fmt::format("arrives {} ps before the {} sent ahead of it", account.last - at, class_name(cls)));
    account.last = std::max(account.last, at);
}

void ProtocolChecker::problem(const char* rule, const Line* line, const std::string& what)
{
    ++problems_;
    std::string text = between_ + ": " + rule + ": ";
    if (line != nullptr)
        text += fmt::format("{} of {} B at {:#x} (tag {}): ", name_of(line->op), line->size, line->address, line->tag);
    text += what + fmt::format(", at {} ps", event_queue_.now());
    if (kept_ == nullptr) {
        SC_REPORT_ERROR("/weft/protocol", text.c_str());
        return;
    }
    constexpr std::size_t most = 1000;
    if (kept_->size() < most) kept_->push_back("protocol: " + text);
    event_queue_.stop();
}

void ProtocolChecker::finish()
{
    std::vector<std::pair<const Line*, Live>> left;
    for (const auto& entry : live_)
        if (entry.second.unanswered || entry.second.credit[1]) left.push_back(entry);
    std::sort(left.begin(), left.end(), [](const auto& a, const auto& b) {
        const Live& x = a.second;
        const Live& y = b.second;
        return std::tie(x.arrival, x.address, x.tag) < std::tie(y.arrival, y.address, y.tag);
    });
    for (const auto& [line, live] : left)
        problem("finish", nullptr,
            fmt::format("{} of {} B at {:#x} (tag {}) {}", name_of(live.op), live.size, live.address, live.tag,
                live.posted           ? "was never consumed"
                    : live.unanswered ? "never had a response"
                                      : "never gave its response credit back"));
}

std::string ProtocolChecker::unanswered() const
{
    const Live* first = nullptr;
    std::uint64_t count = 0;
    for (const auto& [line, live] : live_) {
        if (!live.unanswered || live.posted) continue;
        ++count;
        if (first == nullptr ||
            std::tie(live.arrival, live.address, live.tag) < std::tie(first->arrival, first->address, first->tag))
            first = &live;
    }
    if (count == 0) return {};
    return fmt::format("{}: {} without an answer, the first a {} of {} B at {:#x} since {}", between_,
        count == 1 ? "1 request" : fmt::format("{} requests", count), name_of(first->op), first->size, first->address,
        format_time_ps(first->arrival));
}

void Checkers::bind(ProtocolChecker::InitiatorSocket& from, ProtocolChecker::TargetSocket& to,
    const ProtocolChecker::Rules& rules)
{
    if (!on_) {
        from.bind(to);
        return;
    }
    checkers_.push_back(std::make_unique<ProtocolChecker>(sc_core::sc_gen_unique_name("checker"), event_queue_, rules,
        std::string(from.name()) + " -> " + to.name(), keeps_ ? &kept_ : nullptr));
    from.bind(checkers_.back()->target);
    checkers_.back()->initiator.bind(to);
}

void Checkers::finish()
{
    for (const auto& checker : checkers_) checker->finish();
}

std::vector<std::string> Checkers::unanswered() const
{
    std::vector<std::string> out;
    for (const auto& checker : checkers_)
        if (std::string line = checker->unanswered(); !line.empty()) out.push_back(std::move(line));
    return out;
}

std::uint64_t Checkers::problems() const
{
    std::uint64_t sum = 0;
    for (const auto& checker : checkers_) sum += checker->problems();
    return sum;
}

}  // namespace weft
