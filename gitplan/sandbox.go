package gitplan

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Sandbox is what confines the commands of sessions, and the checks that run
// what they wrote. What the kinds can do is said at proc.Confine; git's own
// processes, agents that are commands and what a person runs are never confined.
type Sandbox struct {
	Kind   proc.SandboxKind
	Reason string // why no stronger kind was chosen; empty where there is none, or where the kind was named
}

func (s Sandbox) String() string {
	if s.Reason == "" {
		return string(s.Kind)
	}
	return string(s.Kind) + " (" + s.Reason + ")"
}

// SandboxOf is the sandbox in force: the one that plan.sandbox names, which must
// work here, or the strongest that does. It starts programs to see that.
func SandboxOf(ctx context.Context, c *settings.Config) (Sandbox, error) {
	kind := proc.SandboxKind(strings.ToLower(c.String("plan.sandbox")))
	switch kind {
	case "auto":
		var why []string
		for _, kind := range proc.Sandboxes() {
			err := kind.Works(ctx)
			if err == nil {
				return Sandbox{kind, strings.Join(why, "; ")}, nil
			}
			why = append(why, "no "+string(kind)+": "+visible.OneLine(err.Error(), 200))
		}
		return Sandbox{proc.Unconfined, strings.Join(why, "; ")}, nil
	case proc.Bwrap, proc.Landlock, proc.Seatbelt, proc.Unconfined:
		if err := kind.Works(ctx); err != nil {
			return Sandbox{}, fault.New(fault.ErrSandbox, "plan.sandbox is %s, which does not work here: %s", kind, visible.OneLine(err.Error(), 200))
		}
		return Sandbox{Kind: kind}, nil
	}
	return Sandbox{}, fault.New(fault.ErrSandbox, "plan.sandbox is %q: auto, bwrap, landlock, seatbelt or none is wanted", visible.OneLine(string(kind), 80))
}

// Confine is what a sandbox allows to programs that work in dir: to write there,
// in the temporary folders and in plan.sandboxWritable, but not the repository
// itself, and to read what is the system's and what builds need of a home, but no
// secrets. It is nil where nothing is confined.
//
// The temporary folders are private in bwrap. With the other kinds they are the ones that
// everybody shares, and what lies in them Landlock does not hide.
func (c *Checkout) Confine(s Sandbox, dir string) (*proc.Confine, error) {
	if s.Kind == proc.Unconfined {
		return nil, nil
	}
	home, err := settings.HomeFolder()
	if err != nil {
		return nil, err
	}
	at := new(proc.Links)
	own, withCaches, err := c.Config.SandboxPaths("plan.sandboxWritable", home, at)
	if err != nil {
		return nil, err
	}
	readable, _, err := c.Config.SandboxPaths("plan.sandboxReadable", home, at)
	if err != nil {
		return nil, err
	}
	temporary := []string{os.TempDir(), "/tmp"}
	all := proc.Confine{By: s.Kind, Writable: append(temporary, dir), Sockets: slices.Concat(own, answering),
		ReadOnly: []string{filepath.Join(dir, ".git"), c.Repo.GitDir, c.Repo.CommonDir}}
	if withCaches {
		all.Writable = append(all.Writable, settings.Caches(home)...)
		all.ReadOnly = append(all.ReadOnly, settings.CachedRepositories(home)...)
	}
	if s.Kind == proc.Bwrap {
		if all.Private, err = c.private(temporary, home, dir, slices.Concat(own, readable), at); err != nil {
			return nil, err
		}
	}
	protectState(&all, own, at)
	known := secrets(home)
	for i, path := range known {
		known[i] = at.Real(path)
	}
	steered := c.steered(append(slices.Clone(all.Writable), own...), all.Private, at)
	all.Hidden, all.Readable = homes(home, []string{dir, c.Repo.Top}, temporary, at), c.readable(home, known, steered, at)
	all.Readable = append(all.Readable, inTemporary(all.Private, c.workers(), at)...)
	for _, path := range slices.Concat(toolFolders(home), keysAmong(home, tools(home)), withPasswords(home)) {
		known = append(known, at.Real(path))
	}
	for _, path := range known {
		within := func(folder string) bool { return proc.Within(at.Real(folder), path) }
		switch {
		case proc.Within(path, at.Real(dir)): // such as a safe that is a repository
		case s.Kind == proc.Landlock && slices.ContainsFunc(temporary, within): // new files beside it could not be read
		default:
			all.Hidden = append(all.Hidden, path)
		}
	}
	if s.Kind != proc.Landlock {
		all.Hidden = append(all.Hidden, proc.Temps(temporary...)...) // of other sessions; one that needs its own is allowed it
		closeSockets(&all, append(temporary, dir), c.Repo.Top, at)
	}
	return all.Allow(own...).Reveal(readable...), nil
}

// steered reports of a path whether a session could have made it, or a link on the way
// to it: in the tree, from which its work comes, or elsewhere where it writes.
// What is private no session ever saw.
func (c *Checkout) steered(writable []string, private []proc.Mount, at *proc.Links) func(path string) bool {
	real := []string{at.Real(c.Repo.Top)}
	for _, w := range writable {
		w := at.Real(w)
		if !slices.ContainsFunc(private, func(m proc.Mount) bool { return m.To == w }) {
			real = append(real, w)
		}
	}
	return func(path string) bool { return at.Steered(path, real) }
}

// readable is what can be read of homes.
func (c *Checkout) readable(home string, secrets []string, steered func(path string) bool, at *proc.Links) (out []string) {
	out = append(tools(home), c.Config.Git.Files()...)
	for _, key := range []string{"core.excludesFile", "core.attributesFile", "commit.template", "init.templateDir", "blame.ignoreRevsFile", "mailmap.file", "gpg.ssh.allowedSignersFile"} {
		if path, ok := c.Config.Git.Get(key); ok && path != "" {
			out = append(out, c.Repo.Expand(path))
		}
	}
	out = append(append(out, c.Repo.HooksDir), alternates(filepath.Join(c.Repo.CommonDir, "objects"), 5)...)
	out = append(append(out, onPath(home, os.Getenv("PATH"), steered, at)...), inVariables(home, c.workers())...)
	out = append(out, above(c.Repo.Top, steered)...)
	return slices.DeleteFunc(out, func(p string) bool {
		return !at.There(p) || steered(p) || slices.ContainsFunc(secrets, func(secret string) bool { return proc.Within(secret, at.Real(p)) })
	})
}

// workers are the variables of a session, but for those that plan.passEnv names by a
// pattern, which would name folders for nothing that a build needs.
func (c *Checkout) workers() []string {
	var exact []string
	for _, name := range c.Config.List("plan.passEnv") {
		if !strings.Contains(name, "*") {
			exact = append(exact, name)
		}
	}
	return proc.Worker(c.Config.KeyVariables(), exact...)
}

// alternates are the folders from which a folder of objects borrows, and those of which
// they do. Which they are is part of the set-up, which a session cannot change unseen.
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

// realPath is a path with its links followed, where that can be done.
func realPath(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	return filepath.Clean(p)
}

// sandboxed finds out once for each run which sandbox is in force, and tells it.
type sandboxed struct {
	once    sync.Once
	sandbox Sandbox
	err     error
}

// canConfine is an error where something of a task is to be confined and cannot be.
func (p *Place) canConfine(ctx context.Context, t Task) error {
	if !confinable(t.Agent, t.Role) && len(t.Checks) == 0 {
		return nil
	}
	s, err := p.sandboxInForce(ctx)
	if err == nil && s.Kind != proc.Unconfined {
		err = canConfine(p.Config)
	}
	return err
}

// canConfine is an error where the paths that are named to a sandbox are none.
func canConfine(c *settings.Config) error {
	home, err := settings.HomeFolder()
	for _, key := range []string{"plan.sandboxWritable", "plan.sandboxReadable"} {
		if err == nil {
			_, _, err = c.SandboxPaths(key, home, new(proc.Links))
		}
	}
	return err
}

// confinable reports whether a session runs commands that are to be confined: sessions
// that only read run none, but of programs with commands of their own, and agents that
// a person names by a command confine themselves.
func confinable(a agent.Agent, role agent.Role) bool {
	switch a.(type) {
	case *agent.Command:
		return false
	case *agent.CLI:
		return true
	}
	return role.Writes()
}

// confineSession is what the commands of a session may do.
func (p *Place) confineSession(ctx context.Context, a agent.Agent, s agent.Session) (*proc.Confine, error) {
	if !confinable(a, s.Role) {
		return nil, nil
	}
	c, err := p.confine(ctx, s.Dir)
	if program, ok := a.(*agent.CLI); ok && c != nil {
		if home, herr := settings.HomeFolder(); herr == nil {
			c.Readable = append(c.Readable, installation(home, program.Program, p.steered(c.Writable, c.Private, new(proc.Links)))...)
		}
	}
	return c, err
}

// sandboxInForce is found out once. An error says that the sandbox that was asked for
// cannot be had; then nothing may be started.
func (p *Place) sandboxInForce(ctx context.Context) (Sandbox, error) {
	s := &p.sandboxed
	s.once.Do(func() {
		if s.sandbox, s.err = SandboxOf(ctx, p.Config); s.err == nil {
			proc.SweepTemps()
			p.Tell(journal.Notice{Event: journal.SandboxKind, Text: string(s.sandbox.Kind), Reason: s.sandbox.Reason})
		}
	})
	return s.sandbox, s.err
}

// confine is what the programs of a session in dir may do.
func (p *Place) confine(ctx context.Context, dir string) (*proc.Confine, error) {
	s, err := p.sandboxInForce(ctx)
	if err != nil {
		return nil, err
	}
	c, err := p.Confine(s, dir)
	if c != nil && p.clone != nil && dir == p.clone.Top {
		own := filepath.Join(dir, ".git") // all of a clone is its session's
		c.ReadOnly = slices.DeleteFunc(c.ReadOnly, func(path string) bool { return path == own })
		if !proc.Within(p.Repo.Top, dir) {
			c.ReadOnly = append(c.ReadOnly, p.Repo.Top)
		}
	}
	return c, err
}
