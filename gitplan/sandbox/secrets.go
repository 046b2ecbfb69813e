package sandbox

import (
	_ "embed" // secrets.txt
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// notOfTools returns what lies in ~/.config and belongs to no build tool.
func notOfTools(home string) (out []string) {
	dir := settings.FolderOf("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	if disk.Within(dir, home) { // then the person's files lie there, too
		return nil
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !slices.Contains(toolSettings, e.Name()) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

//go:embed secrets.txt
var knownSecrets string

// secrets returns the files and folders of a home that hold credentials.
func secrets(home string) []string {
	var out []string
	for line := range strings.Lines(knownSecrets) {
		for p := range strings.SplitSeq(strings.TrimSpace(line), ", ") {
			if p != "" && line[0] != '#' {
				out = append(out, moved(home, p)...)
			}
		}
	}
	for _, at := range []struct{ variable, name string }{ // where they are if they were moved
		{"GNUPGHOME", ""}, {"NETRC", ""}, {"GH_CONFIG_DIR", ""}, {"AWS_SHARED_CREDENTIALS_FILE", ""}, {"AWS_CONFIG_FILE", ""},
		{"AZURE_CONFIG_DIR", ""}, {"CLOUDSDK_CONFIG", ""}, {"GOOGLE_APPLICATION_CREDENTIALS", ""}, {"KUBECONFIG", ""},
		{"DOCKER_CONFIG", "config.json"}, {"NPM_CONFIG_USERCONFIG", ""}, {"PGPASSFILE", ""}, {"PASSWORD_STORE_DIR", ""},
		{"CARGO_HOME", "credentials.toml"}, {"CODEX_HOME", "auth.json"}, {"CLAUDE_CONFIG_DIR", ".credentials.json"},
	} {
		for _, v := range filepath.SplitList(os.Getenv(at.variable)) {
			if filepath.IsAbs(v) {
				out = append(out, filepath.Join(v, at.name))
			}
		}
	}
	return out
}

// Keys that programs keep among the settings that builds read are found by two rules: files named like a key are
// keys, and settings with a password are hidden until plan.sandboxReadable names them.

var (
	keyFile   = visible.NewPattern(`(?i)(^|[-_.])(credentials?|creds?|tokens?|secrets?|passwords?|passwd|api[-_]?keys?)($|[-_.])|^auth\.(json|toml|ini|ya?ml)$|^hosts\.ya?ml$|^[._]netrc$|^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$|\.(key|p12|pfx|kdbx)$`)
	keyFolder = visible.NewPattern(`(?i)^\.?(credentials?|secrets?|tokens?|keyrings?|keys)$`)
	password  = visible.NewPattern(`(?i)passw|secret|token|credential|api[-_.]?key|://[^/\s:@]*:[^/\s@$]+@|BUNDLE_(?-i:[A-Z0-9_]+__)+(?-i:[A-Z0-9_]+): *"?[^-/\s"]`)
	remark    = visible.NewPattern(`(?s)<!--.*?-->|(?m:^\s*[#;!].*$)`)
)

// mixed are settings that builds need, and in which some people keep a password.
var mixed = []string{".m2/settings.xml", ".gradle/gradle.properties", ".nuget/NuGet/NuGet.Config",
	".config/NuGet/NuGet.Config", ".bundle/config", ".config/nix/nix.conf",
	".config/pip/pip.conf", ".config/uv/uv.toml", ".config/pypoetry/config.toml", ".cargo/config", ".cargo/config.toml",
	".composer/config.json", ".config/composer/config.json",
	".config/containers/registries.conf", ".config/mise/config.toml", ".conan2/remotes.json", ".conan/remotes.json"}

// withPasswords returns those that contain a password, or cannot be searched.
func withPasswords(home string) (out []string) {
	const maxSettings = 1 << 20 // bytes that are searched
	for _, name := range mixed {
		for _, path := range moved(home, name) {
			info, err := os.Stat(path)
			if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
				continue
			}
			var text []byte
			if err == nil && info.Size() <= maxSettings {
				text, err = os.ReadFile(path)
			}
			if err != nil || text == nil || password().Match(remark().ReplaceAll(text, nil)) {
				out = append(out, path)
			}
		}
	}
	return out
}

// lookedInto returns a path, or the closed folder that it lies in: under Landlock a session may open that again.
func lookedInto(path string) string {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrPermission) {
		return lookedInto(filepath.Dir(path))
	}
	return path
}

// keysAmong returns files named like a key in what can be read of a home: among settings at depth, else in the folder.
func keysAmong(home string, tools []string) (out []string) {
	configs := moved(home, ".config")
	for _, dir := range tools {
		deep := 1
		if slices.Contains(configs, filepath.Dir(dir)) {
			deep = 3
		}
		out = append(out, keysIn(dir, deep)...)
	}
	return out
}

func keysIn(dir string, deep int) (out []string) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) { // under Landlock a session can take the right to, and read what it knows by name
		return []string{dir}
	}
	for _, e := range entries {
		path, name := filepath.Join(dir, e.Name()), e.Name()
		switch {
		case e.IsDir() && keyFolder().MatchString(name):
			out = append(out, path)
		case e.IsDir() && deep > 1:
			out = append(out, keysIn(path, deep-1)...)
		case e.IsDir():
		case keyFile().MatchString(name), filepath.Base(dir) == "configstore" && !strings.HasPrefix(name, "update-notifier"):
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 == 0 {
				out = append(out, path)
			}
		}
	}
	return out
}

// moved returns the places of a path of a home: the usual one, and where the XDG variables put it.
func moved(home, path string) []string {
	out := []string{filepath.Join(home, path)}
	for prefix, variable := range map[string]string{".config": "XDG_CONFIG_HOME", ".local/share": "XDG_DATA_HOME"} {
		rest, ok := strings.CutPrefix(path, prefix)
		if dir := os.Getenv(variable); ok && (rest == "" || rest[0] == '/') && filepath.IsAbs(dir) && !disk.Within(dir, home) {
			out = append(out, filepath.Join(dir, rest))
		}
	}
	return out
}

// run is where the system's programs keep their sockets. Some programs do what they are asked to there, with the person's
// rights or more: run containers, sign, type into terminals. They cannot be listed, so bwrap closes all sockets except
// those of a few services that only answer. Hiding a socket closes it, but not with Landlock.
const run = "/run"

// inRun is what programs need there, on some systems the programs themselves.
var inRun = append([]string{"/run/resolvconf", "/run/NetworkManager/resolv.conf",
	"/run/NetworkManager/no-stub-resolv.conf", "/run/connman/resolv.conf", "/run/netconfig",
	"/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/opengl-driver-32", "/run/host",
	"/run/.containerenv", "/run/.toolboxenv"}, answering...)

// answering are services that only answer, and Nix's, which builds in processes of its own.
var answering = []string{"/run/systemd/resolve", "/run/systemd/userdb", "/run/nscd", "/run/nslcd",
	"/run/avahi-daemon/socket", "/run/samba/winbindd",
	"/var/lib/sss/pipes/nss", "/var/lib/sss/mc", "/nix/var/nix/daemon-socket"}

// boundIn returns the sockets in the file system that are in use, by the Linux kernel's list of them.
func boundIn(table string) (out []string) {
	for line := range strings.Lines(table) {
		// Number, users, protocol, flags, type, state, inode, and the path, which may have blanks.
		if i := strings.Index(line, " /"); i >= 0 && len(strings.Fields(line[:i])) == 7 {
			out = append(out, strings.TrimSuffix(line[i+1:], "\n"))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// usualName matches what sockets, or their folders, are called in temporary folders.
var usualName = visible.NewPattern(`^(tmux-|ssh-|\.X11-unix$|dbus-|emacs|u?screens$|kitty-|mykitty|nvim|vscode-.*\.sock$|zellij-|com\.apple\.launchd\.)`)

// usual returns the places where such sockets usually lie, including those in temporary folders.
func usual(temporary []string) []string {
	out := []string{"/run/docker.sock", "/run/podman", "/run/containerd", "/run/user", "/run/screen",
		"/run/dbus/system_bus_socket", "/run/systemd/private", "/run/snapd.socket",
		"/var/run/docker.sock", os.Getenv("SSH_AUTH_SOCK"), os.Getenv("XDG_RUNTIME_DIR")}
	for _, variable := range []string{"DOCKER_HOST", "KITTY_LISTEN_ON", "NVIM", "NVIM_LISTEN_ADDRESS",
		"VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "EMACS_SOCKET_NAME", "WEZTERM_UNIX_SOCKET"} {
		out = append(out, strings.TrimPrefix(os.Getenv(variable), "unix:"))
	}
	for _, tmp := range temporary {
		entries, _ := os.ReadDir(tmp)
		for _, e := range entries {
			if usualName().MatchString(e.Name()) {
				out = append(out, filepath.Join(tmp, e.Name()))
			}
		}
	}
	return slices.DeleteFunc(out, func(p string) bool { return !filepath.IsAbs(p) })
}

// closeSockets hides sockets, except in the tree, where programs write, and in private folders.
func closeSockets(c *proc.Confinement, writable []string, tree string, at *disk.Links) {
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

// privateTemps returns the temporary folders that are replaced in bwrap for programs that work in dir, which share the
// private ones: in the others, other programs keep sockets, and trust files whose names can be guessed. None is
// replaced that holds the work tree or the home, lies in what may be written anyway, or is configured to be shared.
func (s *Sandbox) privateTemps(temporary []string, home, dir string, named []string,
	at *disk.Links) (out []proc.Mount, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tmp := range temporary {
		tmp = at.Real(tmp)
		holds := func(path string) bool { return disk.Within(tmp, at.Real(path)) }
		within := func(path string) bool { return disk.Within(at.Real(path), tmp) }
		known := slices.ContainsFunc(out, func(m proc.Mount) bool { return m.To == tmp })
		if known || !integrity.IsFolder(tmp) || holds(s.repo.Top) || holds(home) ||
			slices.ContainsFunc(append([]string{s.repo.Top, dir}, named...), within) {
			continue
		}
		key := dir + "\x00" + tmp
		if s.private[key] == "" {
			parent, remove, err := disk.TempFolder("private")
			own := filepath.Join(parent, "tmp")
			if err == nil { // a program may become another user and write there; other users do not get this far
				s.removes = append(s.removes, remove)
				err = errors.Join(os.Mkdir(own, 0o700), os.Chmod(own, 0o777|os.ModeSticky))
			}
			if err != nil {
				return nil, fault.New(fault.ErrSandbox, "there is no private temporary folder: %v", err)
			}
			s.private[key] = own
		}
		out = append(out, proc.Mount{From: s.private[key], To: tmp, Writable: true})
	}
	return out, nil
}

// inTemporary returns the parts of private temporary folders that an environment names, such as tools on PATH.
func inTemporary(private []proc.Mount, env []string, at *disk.Links) (out []string) {
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		for _, v := range filepath.SplitList(value) {
			real := at.Real(v)
			below := func(m proc.Mount) bool { return real != m.To && disk.Within(m.To, real) }
			if !filepath.IsAbs(v) || name != "PATH" && slices.Contains(notToRead, name) || !slices.ContainsFunc(private, below) {
				continue
			}
			out = append(out, real)
		}
	}
	return out
}

// protectState makes the folder of approvals, notes and clones read-only, if it lies where sessions may write: in
// a shared temporary folder, which holds the home in CI, or in a tree that is the home. Landlock cannot do that.
func protectState(all *proc.Confinement, own []string, at *disk.Links) {
	folder, err := journal.StateFolder()
	state := filepath.Join(folder, "git-plan")
	if err != nil || os.MkdirAll(state, 0o700) != nil {
		return
	}
	state = disk.Real(state)
	if slices.ContainsFunc(slices.Concat(all.Writable, own), func(w string) bool {
		w = at.Real(w)
		private := slices.ContainsFunc(all.Private, func(m proc.Mount) bool { return m.To == w })
		return !private && w != state && disk.Within(w, state)
	}) {
		all.ReadOnly = append(all.ReadOnly, state)
	}
}
