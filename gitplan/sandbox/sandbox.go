package sandbox

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Sandbox decides what the programs that work on one repository may read and write.
type Sandbox struct {
	repo   *git.Repo
	config *settings.Config

	mu      sync.Mutex        // around private and removes
	private map[string]string // the private temporary folders, see privateTemps
	removes []func()
}

// Of returns the sandbox of a repository with its configuration.
func Of(r *git.Repo, c *settings.Config) *Sandbox {
	return &Sandbox{repo: r, config: c, private: map[string]string{}}
}

// Close removes the private temporary folders.
func (s *Sandbox) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, remove := range s.removes {
		remove()
	}
	s.private, s.removes = map[string]string{}, nil
}

// InForce says which kind of sandbox confines programs here.
type InForce struct {
	Kind   proc.SandboxKind
	Reason string // why no stronger kind was chosen; "" if it is the strongest, or if plan.sandbox names the kind
}

func (f InForce) String() string {
	if f.Reason == "" {
		return string(f.Kind)
	}
	return string(f.Kind) + " (" + f.Reason + ")"
}

// Choose returns the kind that plan.sandbox names, with auto the strongest that works here. The error is ErrSandbox.
func Choose(ctx context.Context, c *settings.Config) (InForce, error) {
	word, err := c.Word("plan.sandbox")
	if err != nil {
		return InForce{}, fault.New(fault.ErrSandbox, "%v", err)
	}
	kinds := []proc.SandboxKind{proc.SandboxKind(word)}
	if word == "auto" {
		kinds = append(proc.SandboxKinds(), proc.Unconfined)
	}
	var why []string
	for _, kind := range kinds {
		err := proc.Works(ctx, kind)
		if err == nil {
			return InForce{kind, strings.Join(why, "; ")}, nil
		}
		why = append(why, visible.OneLine(err.Error(), 200))
	}
	return InForce{}, fault.New(fault.ErrSandbox, "plan.sandbox is %s, which does not work here: %s", word, why[0])
}

// Confine returns what programs that work in dir may do: write there, in temporary folders, which are private in
// bwrap, and in plan.sandboxWritable, but not in the repository itself; read the system's files and what builds
// need of a home, but no secrets. It is nil if nothing is confined. Unless run is true it makes no folder in the home.
func (s *Sandbox) Confine(kind proc.SandboxKind, dir string, run bool) (*proc.Confinement, error) {
	if kind == proc.Unconfined {
		return nil, nil
	}
	home, err := settings.HomeFolder()
	if err != nil {
		return nil, err
	}
	at := new(disk.Links)
	own, withCaches, err := s.config.SandboxPaths("plan.sandboxWritable", home, at)
	readable, _, wrong := s.config.SandboxPaths("plan.sandboxReadable", home, at)
	if err = cmp.Or(err, wrong); err != nil {
		return nil, err
	}
	temporary := []string{os.TempDir(), "/tmp"}
	all := proc.Confinement{By: kind, Writable: append(temporary, dir), Sockets: slices.Concat(own, answering),
		ReadOnly: []string{filepath.Join(dir, ".git"), s.repo.GitDir, s.repo.CommonDir}}
	if withCaches {
		all.Writable = append(all.Writable, settings.Caches(home, run)...)
		all.ReadOnly = append(all.ReadOnly, settings.CachedRepositories(home, run)...)
	}
	if kind == proc.Bwrap {
		if all.Private, err = s.privateTemps(temporary, home, dir, slices.Concat(own, readable), at); err != nil {
			return nil, err
		}
	}
	protectState(&all, own, at)
	known := secrets(home)
	for i, path := range known {
		known[i] = at.Real(lookedInto(path))
	}
	controlled := s.controlled(append(slices.Clone(all.Writable), own...), all.Private, at)
	all.Hidden, all.Readable = homes(home, []string{dir, s.repo.Top}, temporary, at), s.readable(home, known, controlled, at)
	all.Readable = append(all.Readable, inTemporary(all.Private, s.workers(), at)...)
	for _, path := range slices.Concat(notOfTools(home), keysAmong(home, tools(home)), withPasswords(home)) {
		known = append(known, at.Real(lookedInto(path)))
	}
	for _, path := range known {
		within := func(folder string) bool { return disk.Within(at.Real(folder), path) }
		switch {
		case disk.Within(path, at.Real(dir)): // such as a safe that is a repository
		case kind == proc.Landlock && slices.ContainsFunc(temporary, within): // new files beside it could not be read
		default:
			all.Hidden = append(all.Hidden, path)
		}
	}
	if kind != proc.Landlock {
		// the homes of other sessions; a session that needs its own may use it
		all.Hidden = append(all.Hidden, disk.Temps(temporary...)...)
		closeSockets(&all, append(temporary, dir), s.repo.Top, at)
	}
	return all.Allow(own...).Reveal(readable...), nil
}

// controlled returns a function that reports whether a session, which writes there, could have made what a path is.
func (s *Sandbox) controlled(writable []string, private []proc.Mount, at *disk.Links) func(path string) bool {
	real := []string{at.Real(s.repo.Top)}
	for _, w := range writable {
		w := at.Real(w)
		if !slices.ContainsFunc(private, func(m proc.Mount) bool { return m.To == w }) {
			real = append(real, w)
		}
	}
	return func(path string) bool {
		w := at.Follow(path)
		return w.Found &&
			(w.ControlledFrom(real) || slices.ContainsFunc(real, func(in string) bool { return disk.Within(in, w.Real) }))
	}
}

// readable returns what can be read in homes.
func (s *Sandbox) readable(home string, secrets []string, controlled func(path string) bool, at *disk.Links) (out []string) {
	out = append(tools(home), s.config.Git.Files()...)
	for _, key := range []string{"core.excludesFile", "core.attributesFile", "commit.template", "init.templateDir",
		"blame.ignoreRevsFile", "mailmap.file", "gpg.ssh.allowedSignersFile"} {
		if path, ok := s.config.Git.Get(key); ok && path != "" {
			out = append(out, s.repo.Expand(path))
		}
	}
	out = append(append(out, s.repo.HooksDir), alternates(filepath.Join(s.repo.CommonDir, "objects"), 5)...)
	out = append(append(out, onPath(home, os.Getenv("PATH"), controlled, at)...), inVariables(home, s.workers())...)
	out = append(out, above(s.repo.Top, controlled)...)
	return slices.DeleteFunc(out, func(p string) bool {
		return !at.Exists(p) || controlled(p) ||
			slices.ContainsFunc(secrets, func(secret string) bool { return disk.Within(secret, at.Real(p)) })
	})
}

// workers returns the variables of a session, except those that plan.passEnv names by a pattern.
func (s *Sandbox) workers() []string {
	exact := slices.DeleteFunc(s.config.List("plan.passEnv"), func(name string) bool { return strings.Contains(name, "*") })
	return proc.CheckEnv(s.config.KeyVariables(), exact...)
}

// alternates returns the folders from which a folder of objects borrows, and those from which these borrow.
func alternates(objects string, deep int) (out []string) {
	text, err := os.ReadFile(filepath.Join(objects, "info", "alternates"))
	if err != nil || deep == 0 {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(objects, line)
		}
		if filepath.Base(line) == "objects" {
			out = append(append(out, line), alternates(line, deep-1)...)
		}
	}
	return out
}

// Unread returns the hidden paths, but no known secret, that a program's output names as missing or refused: at most 3.
func Unread(c *proc.Confinement, output string) (out []string) {
	home, err := settings.HomeFolder()
	if c == nil || err != nil {
		return nil
	}
	known := secrets(home)
	for line := range strings.Lines(output) {
		if !strings.Contains(line, "No such file") && !strings.Contains(line, "no such file") &&
			!strings.Contains(strings.ToLower(line), "permission denied") && !strings.Contains(line, "ENOENT") {
			continue
		}
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`:;,()[]", r) }) {
			path := filepath.Clean(word)
			secret := func(s string) bool { return disk.Within(disk.Real(s), disk.Real(path)) }
			hidden := homeOf(home, path) != "" || slices.ContainsFunc(c.Private, func(m proc.Mount) bool { return disk.Within(m.To, path) })
			if len(out) < 3 && hidden && !slices.Contains(out, path) && c.Hides(path) && !slices.ContainsFunc(known, secret) {
				out = append(out, path)
			}
		}
	}
	return out
}

// A filter of the person's configuration may load settings or programs from the tree, which a session may have
// written. So our gits run every filter and merge driver in the sandbox of checks, where it can only read the
// tree, except a few programs that load nothing of it and that may need the person's keys.

var filterKey = visible.NewPattern(`^(filter\..*\.(clean|smudge|process)|merge\..*\.driver)$`)

// ConfineFilters makes later gits of r, which is the repository, a submodule or a clone, run filters that may run
// what lies in the tree in the sandbox, where they can read the tree and alsoRead.
func (s *Sandbox) ConfineFilters(ctx context.Context, r *git.Repo, alsoRead string) (err error) {
	sandboxed, _ := s.config.Word("plan.hooksSandbox") // an invalid value is on
	if sandboxed == "off" || r.Top == "" {
		return nil
	}
	config, top := s.config.Git, cmp.Or(s.repo.Top, r.Top)
	if r.CommonDir != s.repo.CommonDir {
		if config, err = r.Config(ctx); err != nil {
			return err
		}
	}
	var filters []git.Filter
	for _, key := range config.AllKeys() {
		if command, ok := config.Get(key); ok && filterKey().MatchString(key) && !harmless(command, top, proc.FindOutside) {
			filters = append(filters, git.Filter{Key: key, Command: command})
		}
	}
	if len(filters) == 0 {
		return nil
	}
	in, err := Choose(ctx, s.config)
	if err != nil {
		return err
	}
	bounds, err := s.Confine(in.Kind, top, true)
	if err != nil || bounds == nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	bounds.Writable = slices.DeleteFunc(slices.Clone(bounds.Writable), func(p string) bool { return p == top })
	spec, err := proc.ConfinedSpec(bounds.Reveal(top, r.Top, alsoRead), proc.Withheld(s.config.Environment(nil)))
	if err == nil {
		r.ConfineFilters(config, program, spec, filters)
	}
	return err
}

// runNothing are the programs that run no file and load no configuration of the tree.
var runNothing = []string{"git-lfs", "git-crypt", "gpg", "gpg2", "age", "cat", "tr", "cut", "expand", "unexpand", "iconv"}

// harmless reports whether a command is one of these, found outside the tree, with nothing that a shell would read.
func harmless(command, top string, find func(name string) (path string, inTree, ok bool)) bool {
	words := strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\"'", c) })
	if strings.ContainsAny(command, "$`|;&\n(){}<>\\") || len(words) == 0 {
		return false
	}
	name := filepath.Base(words[0])
	if name == "git" && len(words) > 1 {
		name = "git-" + words[1]
	}
	if !slices.Contains(runNothing, name) || strings.Contains(words[0], "/") && !filepath.IsAbs(words[0]) {
		return false
	}
	path, inTree, ok := find(words[0])
	return ok && !inTree && filepath.IsAbs(path) && !disk.Within(top, filepath.Clean(path))
}
