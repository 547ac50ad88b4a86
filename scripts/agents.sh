#!/usr/bin/env bash
# Installs the agent programs that tests/agents drives, from npm, in the versions that the definitions name.
# They take about 1.2 GB:
#   scripts/agents.sh DIR [claude codex opencode gemini]
#   CALLBOARD_TEST_AGENTS=DIR cargo test --test agents
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: $0 DIR [AGENT]..." >&2; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
[ $# -ge 1 ] || set -- claude codex opencode gemini

packages=()
for agent in "$@"; do
  case $agent in
    claude) package=@anthropic-ai/claude-code ;;
    codex) package=@openai/codex ;;
    opencode) package=opencode-ai ;;
    gemini) package=@google/gemini-cli ;;
    *) echo "$0: no package is known for $agent" >&2; exit 2 ;;
  esac
  version=$(sed -n 's/^verified = "\(.*\)"$/\1/p' "$here/assets/agents/$agent.toml")
  packages+=("$package@$version")
done

npm install --prefix "$folder" --no-audit --no-fund --loglevel error "${packages[@]}"
ls "$folder/node_modules/.bin"
