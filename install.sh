#!/bin/sh
# Installs Countersign from a release: a folder that "make dist" made, or its address.
#
#   sh install.sh --from FOLDER|URL [--to FOLDER]
#
# It needs no root. Nothing is written, and nothing of the release is run, before the archive
# has the sum that SHA256SUMS of the same release names. That finds a broken download; who made
# the release is for https, or for you, to know.
set -eu

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

usage() {
  echo "usage: sh install.sh --from FOLDER|URL [--to FOLDER]   (FOLDER is ~/.local/bin where --to is not said)" >&2
  exit 2
}

# get NAME: a file of the release into the work folder.
get() {
  case $from in
  https://* | http://*)
    command -v curl >/dev/null || fail "it needs curl to fetch $from/$1"
    # A secure address must not lead to one that isn't.
    only="=https"
    case $from in http://*) only="=http,https" ;; esac
    curl --fail --silent --show-error --location --proto "$only" --output "$work/$1" "$from/$1"
    ;;
  *)
    [ -f "$from/$1" ] && cp "$from/$1" "$work/$1"
    ;;
  esac
}

sum() {
  if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

platform() {
  case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  MINGW* | MSYS* | CYGWIN*) fail "on Windows, unpack the .zip of the release into a folder of your PATH" ;;
  *) fail "there is no release for $(uname -s): use go install" ;;
  esac
  case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "there is no release for $(uname -m): use go install" ;;
  esac
}

main() {
  from='' to="${HOME:-}/.local/bin"
  while [ $# -gt 0 ]; do
    if [ $# -lt 2 ] || [ -z "$2" ]; then usage; fi
    case $1 in
    --from) from=${2%/} ;;
    --to) to=${2%/} ;;
    *) usage ;;
    esac
    shift 2
  done
  [ -n "$from" ] || usage
  case $to in /.local/bin) fail "HOME is not set: say --to FOLDER" ;; esac
  case $from in
  file://*) from=${from#file://} ;;
  http://* | https://*) ;;
  *://*) fail "$from is neither a folder nor an address with https, http or file" ;;
  esac
  platform
  command -v sha256sum >/dev/null || command -v shasum >/dev/null || fail "it needs sha256sum or shasum to check what it installs"

  work=$(mktemp -d)
  new=''
  trap 'rm -rf "$work" ${new:+"$new"}' EXIT
  trap 'exit 1' HUP INT TERM

  get SHA256SUMS || fail "$from is no release of Countersign: it has no SHA256SUMS"
  found=$(sed -n "s/^\([0-9a-f]\{64\}  countersign_[0-9A-Za-z.-]*_${os}_$arch\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
  case $found in
  '') fail "$from has nothing for $os on $arch: its SHA256SUMS names no such archive" ;;
  *"
"*) fail "$from has more than one archive for $os on $arch" ;;
  esac
  want=${found%% *} name=${found##* }
  get "$name" || fail "$name is missing in $from"
  got=$(sum "$work/$name")
  [ "$got" = "$want" ] || fail "$name is not what SHA256SUMS says (its sum is $got, and should be $want): nothing was installed"

  tar -xzf "$work/$name" -C "$work" countersign countersign-hook 2>/dev/null || fail "$name does not have both programs"
  for program in countersign countersign-hook; do
    if [ ! -f "$work/$program" ] || [ -L "$work/$program" ]; then fail "$program in $name is no file"; fi
    [ ! -d "$to/$program" ] || fail "$to/$program is a folder"
    chmod 755 "$work/$program"
  done

  mkdir -p "$to"
  to=$(cd "$to" && pwd)
  # Both are there in full before either takes its place.
  new=$(mktemp -d "$to/.countersign.XXXXXX")
  cp "$work/countersign" "$work/countersign-hook" "$new"
  mv -f "$new/countersign-hook" "$to/countersign-hook"
  mv -f "$new/countersign" "$to/countersign"

  version=$("$to/countersign" version) || fail "$to/countersign is installed and does not run"
  echo "Installed in $to: $version"
  case ":${PATH:-}:" in
  *":$to:"*)
    first=$(command -v countersign || true)
    [ "$first" = "$to/countersign" ] || echo "Your PATH finds another one first: $first"
    ;;
  *) echo "Put it into your PATH:  export PATH=\"$to:\$PATH\"" ;;
  esac
  echo "Next:  countersign demo, to look around;  countersign --help, for the rest"
}

main "$@"
