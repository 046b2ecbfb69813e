#!/bin/bash
# podman containers without a registry: the image lab:latest is from image.sh. Its storage, state and
# settings are in $DIR.
#   podman.sh up GIT-PLAN     podman.sh down     podman.sh ARGUMENTS-OF-PODMAN
set -eu
DIR=${DIR:?}
here=$(cd "$(dirname "$0")" && pwd)
# No systemd and no raised limits are needed. runc, since crun refuses some machines' cgroups.
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
  "$here/image.sh" "$1" | (lab import - lab:latest)
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
