package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/confine"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// Programs listen on sockets in the file system that do what they are asked to with all
// rights of the person's, or more: run containers and services, sign, type into terminals,
// evaluate what an editor is sent. Which they are nobody can list, so in bwrap all are
// closed but those of a few services that only answer. To hide a socket is to close it,
// which Landlock cannot.

// run is where the system's programs keep theirs.
const run = "/run"

// inRun is what programs need of it: names of users and hosts, and where some systems have
// their programs.
var inRun = append([]string{"/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/NetworkManager/no-stub-resolv.conf", "/run/connman/resolv.conf", "/run/netconfig",
	"/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/opengl-driver-32", "/run/host", "/run/.containerenv", "/run/.toolboxenv"}, answering...)

// answering are services that tell programs of users and hosts, and the one of Nix, which
// builds apart from whoever asks.
var answering = []string{"/run/systemd/resolve", "/run/systemd/userdb", "/run/nscd", "/run/nslcd", "/run/avahi-daemon/socket", "/run/samba/winbindd",
	"/var/lib/sss/pipes/nss", "/var/lib/sss/mc", "/nix/var/nix/daemon-socket"}

// bound are the sockets that lie in the file system and are in use, as the kernel of Linux
// tells of them.
func bound() []string {
	text, _ := os.ReadFile("/proc/net/unix")
	return boundIn(string(text))
}

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

// usualName is what they, or their folders, are called in temporary folders.
var usualName = pattern.Of(`^(tmux-|ssh-|\.X11-unix$|dbus-|emacs|u?screens$|kitty-|mykitty|nvim|vscode-.*\.sock$|zellij-|com\.apple\.launchd\.)`)

// usual are the places where sockets of this kind usually lie, in some temporary folders too.
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

// closeSockets hides sockets from what is confined, but for those of its own: where it
// writes, in the work tree, and in folders that are private anyway.
func closeSockets(c *confine.Bounds, writable []string, tree string, at *disk.Links) {
	shared := slices.Compact([]string{"/tmp", filepath.Clean(os.TempDir())})
	shared = slices.DeleteFunc(shared, func(tmp string) bool {
		return slices.ContainsFunc(c.Private, func(m confine.Mount) bool { return m.To == at.Real(tmp) })
	})
	paths := usual(shared)
	if c.By == confine.Bwrap {
		c.Hidden = append(c.Hidden, run)
		c.Readable = append(c.Readable, inRun...)
		paths = slices.DeleteFunc(append(paths, bound()...), func(p string) bool {
			return disk.Within(run, p) || slices.ContainsFunc(answering, func(a string) bool { return disk.Within(a, p) })
		})
	}
	for _, path := range paths {
		path := at.Real(path)
		holds := func(folder string) bool { return disk.Within(path, at.Real(folder)) }
		private := func(m confine.Mount) bool { return disk.Within(m.To, path) }
		if !slices.ContainsFunc(writable, holds) && !disk.Within(at.Real(tree), path) && !slices.ContainsFunc(c.Private, private) {
			c.Hidden = append(c.Hidden, path)
		}
	}
}
