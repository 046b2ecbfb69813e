#!/bin/bash
# Writes the files of an image as a tar, without a registry: busybox, git and git plan.
#   image.sh GIT-PLAN
set -eu
tree=$(mktemp -d)
trap 'rm -r "$tree"' EXIT
mkdir -p "$tree"/{bin,tmp,etc,root,usr/bin,usr/lib/git-core,proc,sys,dev}
cp "$(command -v busybox)" "$tree/bin/busybox"
for a in $("$tree/bin/busybox" --list); do [ "$a" = busybox ] || ln -s busybox "$tree/bin/$a"; done
echo 'root:x:0:0:root:/root:/bin/sh' >"$tree/etc/passwd"
echo 'root:x:0:' >"$tree/etc/group"
chmod 755 "$tree"
chmod 1777 "$tree/tmp"
cp "$1" "$tree/usr/bin/git-plan"
cp "$(command -v git)" "$tree/usr/bin/git"
ln -s ../../bin/git "$tree/usr/lib/git-core/git"
ldd "$(command -v git)" | awk '/=> \//{print $3} /^\t\/lib/{print $1}' | while read -r l; do
	mkdir -p "$tree$(dirname "$l")"
	cp -L "$l" "$tree$l"
done
tar -C "$tree" -cf - .
