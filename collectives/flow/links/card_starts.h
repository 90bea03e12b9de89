// Starts of messages at network cards: each card starts one after the other, whatever ports they leave by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weft {

class CardStarts {
public:
    // When the card begins with starts that come to it at `now` and take it `busy_ps`. They count from end() on, so that what one flight
    // sends by several ports of a card begins at once.
    double begin(std::size_t card, double now, double busy_ps)
    {
        if (free_ps_.size() <= card) free_ps_.resize(card + 1);
        const double start = std::max(now, free_ps_[card]);
        begun_.push_back({card, now, busy_ps});
        return start;
    }
    void end()
    {
        for (const Begun& begun : begun_)
            free_ps_[begun.card] = std::max(begun.now, free_ps_[begun.card]) + begun.busy_ps;
        begun_.clear();
    }

private:
    struct Begun {
        std::size_t card;
        double now;
        double busy_ps;
    };
    std::vector<double> free_ps_;  // by card
    std::vector<Begun> begun_;
};

}  // namespace weft
