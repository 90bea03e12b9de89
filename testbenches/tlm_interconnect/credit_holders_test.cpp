// Who holds the credits of a link: accounts enter themselves where they are granted, and leave.
#include <memory>

#include <gtest/gtest.h>

#include "tlm_interconnect/protocol/credit_account.h"

namespace credit_holders_test {

using namespace weft;

namespace {

using Accounts = std::vector<const CreditAccount*>;

BufferSpace space_of(const std::shared_ptr<CreditHolders>& holders)
{
    BufferSpace space = BufferSpace::of(4, 4);
    space.holders = holders;
    return space;
}

}  // namespace

TEST(CreditHolders, AccountsStandInTheOrderOfTheirGrants)
{
    const auto holders = std::make_shared<CreditHolders>();
    CreditAccount first;
    CreditAccount second;
    second.grant(space_of(holders));
    first.grant(space_of(holders));
    second.grant(space_of(holders));  // once more is no second entry
    EXPECT_EQ(holders->accounts(), (Accounts{&second, &first}));
}

TEST(CreditHolders, AnAccountHoldsCreditsOfOneLink)
{
    const auto one = std::make_shared<CreditHolders>();
    const auto other = std::make_shared<CreditHolders>();
    CreditAccount account;
    account.grant(space_of(one));
    account.grant(space_of(other));
    EXPECT_TRUE(one->accounts().empty());
    EXPECT_EQ(other->accounts(), Accounts{&account});
    account.grant(BufferSpace::of(4, 4));  // of nobody's link
    EXPECT_TRUE(other->accounts().empty());
}

// The credits that it has used are seen through the link's list for as long as it lives.
TEST(CreditHolders, WhatIsUsedIsSeenAndADeadAccountLeaves)
{
    const auto holders = std::make_shared<CreditHolders>();
    {
        CreditAccount account;
        account.grant(space_of(holders));
        const std::uint8_t vc = vc_of(VcClass::request, 0);
        ASSERT_TRUE(account.take(vc, 0));
        ASSERT_EQ(holders->accounts().size(), 1u);
        EXPECT_EQ(holders->accounts().front()->used(vc, 0), 1u);
    }
    EXPECT_TRUE(holders->accounts().empty());
}

TEST(CreditHolders, AnAccountMayOutliveTheLink)
{
    auto holders = std::make_shared<CreditHolders>();
    CreditAccount account;
    account.grant(space_of(holders));
    holders.reset();
    EXPECT_TRUE(account.take(vc_of(VcClass::request, 0), 0));
}

}  // namespace credit_holders_test
