#!/bin/sh
# The programs that tests of the command line play a user with: terminals and the shells that completion is for.
# Installed from the system's packages where one of them is missing.
set -eu
missing=""
for program in bash zsh fish tmux; do
  command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done
[ -n "$missing" ] || exit 0
echo "missing:$missing"
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "install them with the system's package manager: the tests of completion and of terminals need them" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 -- a list of names
apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null; }
