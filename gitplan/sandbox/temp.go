package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// privateTemps returns the temporary folders that are replaced in bwrap for programs that work in dir, which share the
// private ones: in the others, other programs keep sockets, and trust files whose names can be guessed. None is replaced
// that holds the work tree or the home, lies in what may be written anyway, or is configured to be shared.
func (s *Sandbox) privateTemps(temporary []string, home, dir string, named []string, at *disk.Links) (out []proc.Mount, err error) {
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
