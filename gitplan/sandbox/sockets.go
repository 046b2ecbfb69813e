package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// run is where the system's programs keep their sockets. Some programs do what they are asked to there, with the person's
// rights or more: run containers, sign, type into terminals. They cannot be listed, so bwrap closes all sockets except
// those of a few services that only answer. Hiding a socket closes it, but not with Landlock.
const run = "/run"

// inRun is what programs need there, on some systems the programs themselves.
var inRun = append([]string{"/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/NetworkManager/no-stub-resolv.conf", "/run/connman/resolv.conf", "/run/netconfig",
	"/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/opengl-driver-32", "/run/host", "/run/.containerenv", "/run/.toolboxenv"}, answering...)

// answering are services that only answer, and Nix's, which builds in processes of its own.
var answering = []string{"/run/systemd/resolve", "/run/systemd/userdb", "/run/nscd", "/run/nslcd", "/run/avahi-daemon/socket", "/run/samba/winbindd",
	"/var/lib/sss/pipes/nss", "/var/lib/sss/mc", "/nix/var/nix/daemon-socket"}

// boundIn returns the sockets in the file system that are in use, by the Linux kernel's list of them.
func boundIn(table string) (out []string) {
	for line := range strings.Lines(table) {
		// Number, users, protocol, flags, type, state, inode, and the path, which may have blanks.
		if i := strings.Index(line, " /"); i >= 0 && len(strings.Fields(line[:i])) == 7 {
			out = append(out, strings.TrimSuffix(line[i+1:], "\n"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// usualName matches what sockets, or their folders, are called in temporary folders.
var usualName = visible.NewPattern(`^(tmux-|ssh-|\.X11-unix$|dbus-|emacs|u?screens$|kitty-|mykitty|nvim|vscode-.*\.sock$|zellij-|com\.apple\.launchd\.)`)

// usual returns the places where such sockets usually lie, including those in temporary folders.
func usual(temporary []string) []string {
	out := []string{"/run/docker.sock", "/run/podman", "/run/containerd", "/run/user", "/run/screen", "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/snapd.socket",
		"/var/run/docker.sock", os.Getenv("SSH_AUTH_SOCK"), os.Getenv("XDG_RUNTIME_DIR")}
	for _, variable := range []string{"DOCKER_HOST", "KITTY_LISTEN_ON", "NVIM", "NVIM_LISTEN_ADDRESS", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "EMACS_SOCKET_NAME", "WEZTERM_UNIX_SOCKET"} {
		out = append(out, strings.TrimPrefix(os.Getenv(variable), "unix:"))
	}
	for _, tmp := range temporary {
		entries, _ := os.ReadDir(tmp)
		for _, e := range entries {
			if usualName.MatchString(e.Name()) {
				out = append(out, filepath.Join(tmp, e.Name()))
			}
		}
	}
	return slices.DeleteFunc(out, func(p string) bool { return !filepath.IsAbs(p) })
}

// closeSockets hides sockets, except in the tree, where programs write, and in private folders.
func closeSockets(c *proc.Bounds, writable []string, tree string, at *disk.Links) {
	shared := slices.Compact([]string{"/tmp", filepath.Clean(os.TempDir())})
	shared = slices.DeleteFunc(shared, func(tmp string) bool {
		return slices.ContainsFunc(c.Private, func(m proc.Mount) bool { return m.To == at.Real(tmp) })
	})
	paths := usual(shared)
	if c.By == proc.Bwrap {
		c.Hidden = append(c.Hidden, run)
		c.Readable = append(c.Readable, inRun...)
		list, _ := os.ReadFile("/proc/net/unix")
		paths = slices.DeleteFunc(append(paths, boundIn(string(list))...), func(p string) bool {
			return disk.Within(run, p) || slices.ContainsFunc(answering, func(a string) bool { return disk.Within(a, p) })
		})
	}
	for _, path := range paths {
		path := at.Real(path)
		holds := func(folder string) bool { return disk.Within(path, at.Real(folder)) }
		private := func(m proc.Mount) bool { return disk.Within(m.To, path) }
		if !slices.ContainsFunc(writable, holds) && !disk.Within(at.Real(tree), path) && !slices.ContainsFunc(c.Private, private) {
			c.Hidden = append(c.Hidden, path)
		}
	}
}
