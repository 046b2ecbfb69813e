#!/bin/bash
# A separate docker daemon, without a registry and without a network: the image lab:latest is from
# image.sh, and bare:latest has only mount points for the files of this machine. Everything is in $DIR.
#   docker.sh up GIT-PLAN     docker.sh down     docker.sh ARGUMENTS-OF-DOCKER
set -eu
DIR=${DIR:?}
here=$(cd "$(dirname "$0")" && pwd)
# The path of a socket has at most 107 bytes. Debian's docker has the same version as its daemon.
lab() { exec /usr/bin/docker --config "$DIR" -H "unix://$DIR/s" "$@"; }
up() {
  mkdir -p "$DIR"
  setsid dockerd --data-root "$DIR/root" --exec-root "$DIR/exec" -H "unix://$DIR/s" --pidfile "$DIR/pid" --bridge=none --iptables=false --ip6tables=false \
    --exec-opt native.cgroupdriver=cgroupfs >"$DIR/log" 2>&1 </dev/null &
  for _ in $(seq 100); do (lab version) >/dev/null 2>&1 && break; sleep 0.1; done
  "$here/image.sh" "$1" | (lab import - lab:latest)
  bare=$(mktemp -d)
  mkdir "$bare"/{usr,etc,tmp,root,proc,sys,dev,run}
  for l in bin sbin lib lib64; do ln -s "usr/$l" "$bare/$l"; done
  tar -C "$bare" -cf - . | (lab import - bare:latest)
  rm -r "$bare"
}
down() {
  (lab ps -q) | while read -r c; do (lab kill "$c") || true; done
  kill "$(cat "$DIR/pid")" 2>/dev/null || true
  for _ in $(seq 100); do [ -e "$DIR/pid" ] || break; sleep 0.1; done
  for m in $(awk -v d="$DIR/" 'index($2, d) == 1 {print $2}' /proc/mounts | sort -r); do umount "$m" || true; done
}
case $1 in
up) up "$2" ;; down) down ;;
*) lab "$@" ;;
esac
