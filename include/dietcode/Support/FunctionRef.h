//===- FunctionRef.h - A function that is only borrowed ---------*- C++ -*-===//
//
// Part of the DietCode project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DIETCODE_SUPPORT_FUNCTIONREF_H
#define DIETCODE_SUPPORT_FUNCTIONREF_H

#include <type_traits>
#include <utility>

namespace dietcode {

template <typename Function>
class FunctionRef;

/// What a function takes to call something before it returns. Unlike a
/// std::function it owns nothing: it needs no memory, and a jump over it leaves
/// nothing behind.
template <typename ResultT, typename... Arguments>
class FunctionRef<ResultT(Arguments...)> {
public:
  template <typename Callable,
            std::enable_if_t<!std::is_same_v<std::decay_t<Callable>,
                                             FunctionRef>> * = nullptr>
  FunctionRef(Callable &&callable)
      : object(const_cast<void *>(
            reinterpret_cast<const volatile void *>(&callable))),
        invoke([](void *object, Arguments... arguments) -> ResultT {
          return (*static_cast<std::remove_reference_t<Callable> *>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}

  ResultT operator()(Arguments... arguments) const {
    return invoke(object, std::forward<Arguments>(arguments)...);
  }

private:
  void *object;
  ResultT (*invoke)(void *, Arguments...);
};

} // namespace dietcode

#endif // DIETCODE_SUPPORT_FUNCTIONREF_H
