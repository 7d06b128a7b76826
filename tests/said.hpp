// Takes a manager's messages out of its effects.
#pragma once

#include <variant>
#include <vector>

#include "manager/effects.hpp"

namespace dmm {

/// Takes the messages of one type to a party since the last call.
template <class M>
std::vector<M> take_said(std::vector<Outgoing>& messages, const Party& to) {
  std::vector<M> found;
  std::erase_if(messages, [&](Outgoing& message) {
    if (message.to != to || !std::holds_alternative<M>(message.message)) return false;
    found.push_back(std::get<M>(message.message));
    return true;
  });
  return found;
}

}  // namespace dmm
