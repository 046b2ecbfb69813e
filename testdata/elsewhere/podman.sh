#!/bin/bash
# Containers of podman without a registry: the image lab:latest has busybox, git and git plan. Its storage,
# state and settings are in $DIR.
#   podman.sh up GIT-PLAN     podman.sh down     podman.sh ARGUMENTS-OF-PODMAN
set -eu
DIR=${DIR:?}
# No systemd is needed, and no right to raise limits. runc, since crun refuses some machines' cgroups.
lab() { CONTAINERS_CONF=$DIR/containers.conf exec podman --root "$DIR/root" --runroot "$DIR/runroot" --log-level error "$@"; }
up() {
  mkdir -p "$DIR"; cd "$DIR"
  cat > containers.conf <<C
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
C
  tree=$DIR/tree; mkdir -p "$tree"/{bin,tmp,etc,root,usr/bin,usr/lib/git-core,proc,sys,dev}
  cp "$(command -v busybox)" "$tree/bin/busybox"; for a in $("$tree/bin/busybox" --list); do [ "$a" = busybox ] || ln -s busybox "$tree/bin/$a"; done
  echo 'root:x:0:0:root:/root:/bin/sh' > "$tree/etc/passwd"; echo 'root:x:0:' > "$tree/etc/group"; chmod 1777 "$tree/tmp"
  cp "$1" "$tree/usr/bin/git-plan"
  cp "$(command -v git)" "$tree/usr/bin/git"; ln -s ../../bin/git "$tree/usr/lib/git-core/git"
  ldd "$(command -v git)" | awk '/=> \//{print $3} /^\t\/lib/{print $1}' | while read -r l; do mkdir -p "$tree$(dirname "$l")"; cp -L "$l" "$tree$l"; done
  tar -C "$tree" -cf - . | (lab import - lab:latest)
  rm -r "$tree"
}
down() {
  (lab kill -a) || true; (lab rm -af) || true; (lab rmi -af) || true
  (lab unshare true) 2>/dev/null || true
  for m in $(awk -v d="$DIR/" 'index($2, d) == 1 {print $2}' /proc/mounts | sort -r); do umount "$m" || true; done
}
case $1 in
up) up "$2" ;; down) down ;;
*) lab "$@" ;;
esac
