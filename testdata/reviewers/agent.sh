#!/bin/sh
# An agent for all roles of a review.
dir=$(dirname "$0")
case $GIT_PLAN_ROLE in
reviewer) exec sh "$dir/finds-bugs.sh" ;;
verifier) exec sh "$dir/verifies.sh" ;;
fixer) exec sh "$dir/fixes-bugs.sh" ;;
esac
