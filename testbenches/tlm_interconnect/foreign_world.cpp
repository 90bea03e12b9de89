#include "testbenches/tlm_interconnect/foreign_world.h"

namespace weft::testing {

namespace {

std::uint64_t mix(std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

Time kernel_now() { return to_ps(sc_core::sc_time_stamp()); }

std::string component_name(unsigned component) { return "component" + std::to_string(1000 + component); }

class QueueClockwork : public Clockwork {
public:
    explicit QueueClockwork(unsigned components) : event_queue_("event_queue")
    {
        for (unsigned s = 0; s < components; ++s) components_.push_back(std::make_unique<Node>(*this, s));
    }
    Time now() const override { return event_queue_.now(); }
    void schedule(unsigned component, const Token& token, Time due, unsigned input) override
    {
        if (free_.empty()) {
            items_.emplace_back();
            free_.push_back(&items_.back());
        }
        Item& item = *free_.back();
        free_.pop_back();
        item.token = token;
        event_queue_.schedule(item, *components_[component], due, input);
    }
    void notify(sc_core::sc_event& event, Time due) override { event_queue_.notify_kernel(event, due); }
    void enter() override { event_queue_.enter(); }

private:
    struct Item : ScheduledItem {
        Token token;
    };
    struct Node : TimedComponent {
        Node(QueueClockwork& owner, unsigned index)
            : TimedComponent(owner.event_queue_, component_name(index)), owner(owner), index(index)
        {
        }
        void run(ScheduledItem& base) override
        {
            Item& item = static_cast<Item&>(base);
            const Token token = item.token;
            owner.free_.push_back(&item);
            request_arbitration();
            owner.Clockwork::run(index, token);
        }
        void arbitrate() override { owner.Clockwork::arbitrate(index); }

        QueueClockwork& owner;
        unsigned index;
    };

    EventQueue event_queue_;
    std::vector<std::unique_ptr<Node>> components_;
    std::deque<Item> items_;
    std::vector<Item*> free_;
};

// What waits, in the order of the event queue's rule.
using Waiting = std::multimap<std::tuple<Time, unsigned, unsigned>, Token>;

class EventClockwork : public Clockwork {
public:
    explicit EventClockwork(unsigned components)
    {
        for (unsigned s = 0; s < components; ++s) {
            nodes_.push_back(std::make_unique<Node>());
            sc_core::sc_spawn_options options;
            options.spawn_method();
            options.set_sensitivity(&nodes_[s]->event);
            options.dont_initialize();
            sc_core::sc_spawn([this, s] { wake(s); }, (component_name(s) + "_process").c_str(), &options);
        }
    }
    Time now() const override { return kernel_now(); }
    void schedule(unsigned component, const Token& token, Time due, unsigned input) override
    {
        Node& node = *nodes_[component];
        node.waiting.emplace(std::make_tuple(due, 0U, input), token);
        node.event.notify(to_sc_time(due - kernel_now()));  // the kernel keeps the earliest
    }
    void notify(sc_core::sc_event& event, Time due) override { event.notify(to_sc_time(due - kernel_now())); }

private:
    struct Node {
        Waiting waiting;
        sc_core::sc_event event;
    };

    void wake(unsigned component)
    {
        Node& node = *nodes_[component];
        while (!node.waiting.empty() && std::get<0>(node.waiting.begin()->first) <= kernel_now()) {
            const Token token = node.waiting.begin()->second;
            node.waiting.erase(node.waiting.begin());
            run(component, token);
        }
        arbitrate(component);
        if (!node.waiting.empty())
            node.event.notify(to_sc_time(std::get<0>(node.waiting.begin()->first) - kernel_now()));
    }

    std::vector<std::unique_ptr<Node>> nodes_;
};

class DeafClockwork : public Clockwork {
public:
    explicit DeafClockwork(unsigned)
    {
        sc_core::sc_spawn_options options;
        options.spawn_method();
        options.set_sensitivity(&event_);
        options.dont_initialize();
        sc_core::sc_spawn([this] { drain(); }, "deaf", &options);
    }
    Time now() const override { return running_ ? now_ : kernel_now(); }
    void schedule(unsigned component, const Token& token, Time due, unsigned input) override
    {
        waiting_.emplace(std::make_tuple(due, component, input), token);
        if (!running_) event_.notify(to_sc_time(due - kernel_now()));
    }
    void notify(sc_core::sc_event& event, Time due) override
    {
        event.notify(to_sc_time(due > kernel_now() ? due - kernel_now() : 0));
    }

private:
    void drain()
    {
        running_ = true;
        while (!waiting_.empty()) {
            const auto [due, component, input] = waiting_.begin()->first;
            const Token token = waiting_.begin()->second;
            waiting_.erase(waiting_.begin());
            now_ = due;
            run(component, token);
            if (waiting_.empty() || std::get<0>(waiting_.begin()->first) != due ||
                std::get<1>(waiting_.begin()->first) != component)
                arbitrate(component);
        }
        running_ = false;
    }

    Waiting waiting_;
    sc_core::sc_event event_;
    Time now_ = 0;
    bool running_ = false;
};

// The foreign part and the rules by which tokens move.
class World {
public:
    World(Clockwork& clockwork, unsigned components, unsigned methods, unsigned cycles)
        : clockwork_(clockwork), components_(components), cycles_(cycles),
          clock_("clock", sc_core::sc_time(10, sc_core::SC_NS))
    {
        clockwork_.run = [this](unsigned component, const Token& token) { on_token(component, token); };
        clockwork_.arbitrate = [this](unsigned component) {
            log(clockwork_.now(), component_name(component), "arbitrates");
        };
        sc_core::sc_spawn([this] { clocked(); }, "clocked");
        for (unsigned m = 0; m < methods; ++m) {
            methods_.push_back(std::make_unique<Method>());
            sc_core::sc_spawn_options options;
            options.spawn_method();
            sc_core::sc_spawn([this, m] { method(m); }, ("method" + std::to_string(m)).c_str(), &options);
        }
    }

    std::string trace()
    {
        std::stable_sort(log_.begin(), log_.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.at, a.who) < std::tie(b.at, b.who); });
        std::string out;
        for (const Entry& entry : log_)
            if (entry.at < end_) out += std::to_string(entry.at) + " " + entry.who + " " + entry.what + "\n";
        return out;
    }

private:
    struct Entry {
        Time at;
        std::string who;
        std::string what;
    };
    struct Method {
        std::multimap<Time, Token> inbox;
        sc_core::sc_event event;
        Time timer = 0;
        std::uint64_t draws = 0;
    };
    static constexpr std::uint32_t last_hop = 40;

    void log(Time at, std::string who, std::string what) { log_.push_back({at, std::move(who), std::move(what)}); }
    static std::string text(const Token& token) { return std::to_string(token.id) + "." + std::to_string(token.hop); }

    void on_token(unsigned component, Token token)
    {
        const Time now = clockwork_.now();
        log(now, component_name(component), text(token));
        if (++token.hop > last_hop) return;
        const std::uint64_t draw = mix(token.id * 1000ULL + token.hop);
        const Time due = now + 1 + (draw >> 8) % (draw % 7 == 0 ? 3'000'000 : 900);
        if (draw % 5 == 0 && !methods_.empty()) {
            Method& method = *methods_[(draw >> 16) % methods_.size()];
            method.inbox.emplace(due, token);
            clockwork_.notify(method.event, due);
        } else {
            clockwork_.schedule(static_cast<unsigned>((draw >> 16) % components_), token, due, component % 64);
        }
    }

    void hand_in(Token token)
    {
        clockwork_.enter();
        const std::uint64_t draw = mix(token.id * 7919ULL + token.hop);
        clockwork_.schedule(static_cast<unsigned>(draw % components_), token,
            clockwork_.now() + 1 + (draw >> 20) % 2000, 64 + token.id % 64);
    }

    void clocked()
    {
        for (unsigned cycle = 0; cycle < cycles_; ++cycle) {
            sc_core::wait(clock_.posedge_event());
            log(kernel_now(), "clocked", std::to_string(cycle));
            hand_in({1'000'000 + cycle, 0});
            if (cycle % 5 == 4) {
                sc_core::wait(to_sc_time(mix(cycle) % 4000));
                hand_in({2'000'000 + cycle, 0});
            }
        }
        end_ = kernel_now();
        sc_core::sc_stop();
    }

    void method(unsigned index)
    {
        Method& method = *methods_[index];
        const Time now = kernel_now();
        const std::string name = "method" + std::to_string(index);
        while (!method.inbox.empty() && method.inbox.begin()->first <= now) {
            Token token = method.inbox.begin()->second;
            method.inbox.erase(method.inbox.begin());
            log(now, name, text(token));
            ++token.hop;
            hand_in(token);
        }
        if (now >= method.timer) {
            method.timer = now + 1 + mix(index * 1'000'003ULL + method.draws++) % 30'000;
            if (method.draws % 4 == 0)
                hand_in({3'000'000 + index * 100'000 + static_cast<std::uint32_t>(method.draws), 0});
        }
        if (!method.inbox.empty()) method.event.notify(to_sc_time(method.inbox.begin()->first - now));
        sc_core::next_trigger(to_sc_time(method.timer - now), method.event);
    }

    Clockwork& clockwork_;
    unsigned components_;
    unsigned cycles_;
    sc_core::sc_clock clock_;
    std::vector<std::unique_ptr<Method>> methods_;
    std::vector<Entry> log_;
    Time end_ = 0;
};

}  // namespace

std::unique_ptr<Clockwork> queue_clockwork(unsigned components) { return std::make_unique<QueueClockwork>(components); }
std::unique_ptr<Clockwork> event_clockwork(unsigned components) { return std::make_unique<EventClockwork>(components); }
std::unique_ptr<Clockwork> deaf_clockwork(unsigned components) { return std::make_unique<DeafClockwork>(components); }

std::string foreign_world(Clockwork& clockwork, unsigned components, unsigned methods, unsigned cycles)
{
    World world(clockwork, components, methods, cycles);
    sc_core::sc_start();
    return world.trace();
}

}  // namespace weft::testing
