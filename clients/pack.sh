#!/usr/bin/env bash
# Builds both packages into a folder: pack.sh FOLDER [VERSION]. It needs no network.
set -euo pipefail
out="$(realpath -m "$1")" version="${2:-}"
mkdir -p "$out"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp -R "$(dirname "$0")/python" "$(dirname "$0")/typescript" "$work"
cp "$(dirname "$0")/../LICENSE" "$work/typescript"
if [ -n "$version" ]; then
  sed -i.bak -E "s/^(VERSION = )\"[^\"]+\"/\1\"$version\"/" "$work/python/countersign/client.py"
  sed -i.bak -E "s/^(export const VERSION = )\"[^\"]+\"/\1\"$version\"/" "$work/typescript/client.js"
  sed -i.bak -E "s/^(  \"version\": )\"[^\"]+\"/\1\"$version\"/" "$work/typescript/package.json"
fi
python3 "$work/python/build_wheel.py" "$out"
cd "$work/typescript" && npm pack --silent --pack-destination "$out"
