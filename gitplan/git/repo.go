package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Repo is a repository as seen from one of its work trees. Close it.
type Repo struct {
	Top             string // top folder of the work tree; empty in a bare repository
	GitDir          string // the folder of this work tree: .git, or one in .git/worktrees
	CommonDir       string // the .git folder that all work trees share
	HooksDir        string // the folder of hooks
	Format          string // the object format: sha1 or sha256
	PrivateWorktree bool   // the work tree belongs to one session; see WithFiles

	// OnWrite, unless nil, is called with the process id of each git that writes, and with 0 when it has ended.
	OnWrite func(pid int)

	// Trusted, unless nil, is called before each git of r that may execute something configured. An error prevents it.
	Trusted func(ctx context.Context, r *Repo) error

	env           []string            // the person's environment; see environment
	pinned        []string            // variables by which later gits use this repository and no other
	transports    []string            // variables of ForbidTransports
	disabledHooks []string            // settings that switch off hooks of the configuration
	filters       *filters            // the confined filters, shared by all with the same configuration
	objects       *reader             // the process that reads objects
	store         *filesystem.Storage // the store of writeObject, opened when first needed
}

// Open finds the repository of dir (empty: the current folder). The error is ErrNotRepository, ErrTooOld, or git's.
func Open(ctx context.Context, dir string) (*Repo, error) {
	dir = cmp.Or(dir, ".")
	r := &Repo{GitDir: dir, env: environment(), filters: &filters{}}
	parts, err := findPaths(ctx, r)
	if len(parts) < 3 && err != nil {
		// git refuses an empty core.hooksPath, by which some people, and gemini's shell, switch hooks off.
		off := &Repo{GitDir: dir, env: WithSettings(environment(), "core.hooksPath", os.DevNull), filters: r.filters}
		if again, _ := findPaths(ctx, off); len(again) >= 3 {
			r, parts, err = off, again, nil
		}
	}
	if len(parts) < 3 {
		_, none := os.Stat(filepath.Join(dir, "HEAD")) // a HEAD is that of a bare repository that git cannot read
		if e, ok := errors.AsType[*Error](err); ok && e.Code == Fatal && none != nil {
			kind := ErrNotRepository
			if strings.Contains(e.Stderr, "dubious ownership") {
				kind = ErrOwner
			}
			said, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(e.Stderr), "fatal: "), "\n")
			return nil, &fault.Fault{Kind: kind, Text: said, Cause: e}
		}
		if err == nil {
			err = fmt.Errorf("git rev-parse printed no paths, but %q", parts)
		}
		return nil, err
	}
	r.GitDir, r.CommonDir, r.HooksDir = parts[0], parts[1], strings.TrimSuffix(parts[2], "\n"+r.Format)
	r.pinned = []string{"GIT_DIR=" + r.GitDir, "GIT_COMMON_DIR=" + r.CommonDir}
	if len(parts) > 3 && err == nil {
		r.Top = parts[3]
		r.pinned = append(r.pinned, "GIT_WORK_TREE="+r.Top)
	}
	if index := proc.Variable(r.env, "GIT_INDEX_FILE"); index != "" {
		r.pinned = append(r.pinned, "GIT_INDEX_FILE="+index)
	}
	r.objects = &reader{}
	return r, nil
}

const (
	Oldest   = "2.31"                   // the oldest git that takes settings from its environment (GIT_CONFIG_COUNT)
	absolute = "--path-format=absolute" // an option since Oldest; older gits print it
)

// findPaths returns the paths of the repository, and sets its format.
func findPaths(ctx context.Context, r *Repo) ([]string, error) {
	// Paths may contain newlines, and rev-parse has no -z: the object format, requested between them, separates them.
	out, err := r.Ask(ctx, "rev-parse", absolute, "--show-object-format",
		"--git-dir", "--show-object-format", "--git-common-dir", "--show-object-format", "--git-path", "hooks",
		"--show-object-format", "--show-toplevel")
	if strings.HasPrefix(out, absolute+"\n") {
		return nil, ErrTooOld
	}
	format, rest, _ := strings.Cut(out, "\n")
	r.Format = format
	return strings.Split(rest, "\n"+format+"\n"), err
}

// OpenHere runs Open in the current folder, Config, and the start of the reader of objects at once, to save time.
func OpenHere(ctx context.Context) (*Repo, *Config, error) {
	here := &Repo{GitDir: ".", env: environment()} // Open finds out meanwhile which repository that is
	here.objects = &reader{}
	var config string
	var configErr error
	var meanwhile sync.WaitGroup
	meanwhile.Go(func() { config, configErr = here.Ask(ctx, listConfig...) })
	meanwhile.Go(func() { _ = startReader(here) }) // after a failure the first read tries again, and reports it
	r, err := Open(ctx, "")
	meanwhile.Wait()
	if err != nil {
		here.objects.close()
		return nil, nil, err
	}
	r.objects = here.objects
	if configErr != nil {
		r.Close()
		return nil, nil, configErr
	}
	return r, adopt(r, config), nil
}

// adopt parses the configuration in force, and switches off its hooks in r.
func adopt(r *Repo, text string) *Config {
	config := parseConfig(r, text)
	r.disabledHooks = nil
	for _, name := range config.Subsections("hook", "event") {
		r.disabledHooks = append(r.disabledHooks, "hook."+name+".enabled", "false")
	}
	return config
}

// Outside returns a Repo that runs git outside of any repository, and the configuration there. Close it.
func Outside(ctx context.Context) (*Repo, *Config, error) {
	r := &Repo{GitDir: ".", env: environment(), filters: &filters{}}
	out, err := r.Ask(ctx, listConfig...)
	if err != nil {
		return nil, nil, err
	}
	r.objects = &reader{}
	return r, adopt(r, out), nil
}

// TooOld reports whether a version such as 2.39.5 is older than Oldest.
func TooOld(v string) bool {
	parts := strings.SplitN(v+"..", ".", 3)
	return version.Compare("go"+parts[0]+"."+parts[1], "go"+Oldest) < 0 // any two numbers are compared
}

// Close ends the process that reads objects.
func (r *Repo) Close() {
	if r != nil && r.objects != nil {
		r.objects.close()
	}
}

// Zero returns the object name that means "no object" in updates of refs.
func (r *Repo) Zero() string { return strings.Repeat("0", len(r.EmptyTree())) }

// EmptyTree returns the object name of the tree without entries.
func (r *Repo) EmptyTree() string {
	if r.Format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// Shallow reports whether the repository lacks commits that a depth left out.
func (r *Repo) Shallow() bool {
	_, err := os.Stat(filepath.Join(r.CommonDir, "shallow"))
	return err == nil
}

// Operation returns git's unfinished operation: "merge", "rebase", "cherry-pick", "revert", "bisect", or "" for none.
func (r *Repo) Operation() string {
	for _, o := range [...]struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"sequencer", "cherry-pick"},
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(r.GitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// PlanDir returns the folder of this program's local state, <common dir>/plan, or a path in it.
func (r *Repo) PlanDir(elem ...string) string {
	return filepath.Join(append([]string{r.CommonDir, "plan"}, elem...)...)
}

// IndexFile returns the path of the index of this work tree.
func (r *Repo) IndexFile() string {
	return cmp.Or(proc.Variable(r.env, "GIT_INDEX_FILE"), filepath.Join(r.GitDir, "index"))
}

// dir returns the folder in which git runs.
func (r *Repo) dir() string { return cmp.Or(r.Top, r.GitDir) }

// derive returns a copy of r with the same hardening, without the process that reads objects, the store and OnWrite.
func (r *Repo) derive() *Repo {
	derived := *r
	derived.env, derived.pinned, derived.transports, derived.disabledHooks = slices.Clone(r.env), slices.Clone(r.pinned),
		slices.Clone(r.transports), slices.Clone(r.disabledHooks)
	derived.objects, derived.store, derived.OnWrite = nil, nil, nil
	return &derived
}

// WithFiles returns r with the work tree top, HEAD and index in gitDir, and settings: keys and values in turn. Close it.
func (r *Repo) WithFiles(top, gitDir string, settings ...string) *Repo {
	e := r.derive()
	e.Top, e.GitDir, e.HooksDir, e.PrivateWorktree, e.pinned, e.OnWrite, e.objects = top, gitDir, os.DevNull, true,
		nil, r.OnWrite, &reader{}
	e.env = WithSettings(append(withoutRepository(r.env), "GIT_DIR="+gitDir, "GIT_COMMON_DIR="+r.CommonDir,
		"GIT_WORK_TREE="+top), settings...)
	return e
}

// Clone returns this repository for another goroutine, without OnWrite, Trusted and confined filters. Close it.
func (r *Repo) Clone() *Repo {
	e := r.derive()
	e.Trusted, e.filters, e.objects = nil, &filters{}, &reader{}
	return e
}

// Unbound returns a Repo that runs git in dir, where git itself finds a repository. It reads no objects.
func (r *Repo) Unbound(dir string, env ...string) *Repo {
	e := r.derive()
	e.Top, e.GitDir, e.CommonDir, e.HooksDir, e.PrivateWorktree = "", dir, "", "", false
	e.pinned, e.filters, e.env = nil, &filters{}, append(withoutRepository(r.env), env...)
	if r.transports != nil {
		e.transports = []string{"GIT_ALLOW_PROTOCOL=file", "GIT_NO_LAZY_FETCH=1"} // a clone of r needs file
	}
	return e
}

// Submodule returns the repository of a submodule or a clone with the work tree top. It reads no objects.
func (r *Repo) Submodule(top, gitDir string) *Repo {
	e := r.derive()
	e.Top, e.GitDir, e.CommonDir, e.HooksDir, e.PrivateWorktree, e.filters = top, gitDir, gitDir, "", false, &filters{}
	e.pinned = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + top}
	return e
}

// WithObjectDir returns this repository with another folder for new objects; it reads the objects of both. Close it.
func (r *Repo) WithObjectDir(objects string) *Repo {
	e := r.derive()
	e.OnWrite, e.objects = r.OnWrite, &reader{}
	e.env = append(e.env, "GIT_OBJECT_DIRECTORY="+objects,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+strconv.Quote(filepath.Join(r.CommonDir, "objects")))
	return e
}

// Tree is a work tree of a repository, with the short name of its branch; "" if HEAD is detached.
type Tree struct{ Dir, Branch string }

// Trees returns all work trees, in the order of git worktree list.
func (r *Repo) Trees(ctx context.Context) (out []Tree, err error) {
	printed, err := r.Output(ctx, "worktree", "list", "--porcelain")
	for line := range strings.SplitSeq(printed, "\n") {
		if dir, ok := strings.CutPrefix(line, "worktree "); ok {
			out = append(out, Tree{Dir: dir})
		} else if branch, ok := strings.CutPrefix(line, "branch refs/heads/"); ok && len(out) > 0 {
			out[len(out)-1].Branch = branch
		}
	}
	return out, err
}

// Lock is a lock file of git.
type Lock struct {
	Path   string
	Shared bool // it locks all work trees, not only this one
	Info   os.FileInfo
}

// Locks returns the lock files that keep git from changing the index, HEAD or its branch in this work tree.
func (r *Repo) Locks() []Lock {
	locks := slices.Concat(lockAt(r.IndexFile(), false), lockAt(filepath.Join(r.GitDir, "HEAD"), false))
	head, _ := disk.ReadRegular(filepath.Join(r.GitDir, "HEAD")) // a session may have replaced it by a pipe
	if ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: "); ok && ref != "refs/heads/.invalid" {
		locks = append(locks, r.LocksOf(ref)...)
	}
	return append(locks, r.LocksOf("reftable/tables.list")...)
}

// lockAt returns the lock file of a file, if there is one.
func lockAt(path string, shared bool) []Lock {
	info, err := os.Lstat(path + ".lock")
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []Lock{{path + ".lock", shared, info}}
}

// SharedLockNames are files that all work trees share and few commands write.
var SharedLockNames = []string{"config", "packed-refs", "shallow", "objects/maintenance"}

// LocksOf returns the existing lock files of some refs, or of other files that all work trees share.
func (r *Repo) LocksOf(names ...string) (locks []Lock) {
	for _, name := range names {
		locks = append(locks, lockAt(filepath.Join(r.CommonDir, filepath.FromSlash(name)), true)...)
	}
	return locks
}

// lockedBy returns the lock file that made git refuse to write, or "".
func lockedBy(r *Repo, c Command, code int) string {
	command, _ := subcommand(c.Args)
	var locks []Lock
	switch {
	case command == "config" && code == 255: // the exit code for a lock
		locks = r.LocksOf("config")
	case !c.Writes || code != Fatal: // the exit code for a lock of the other commands
	case command == "update-ref":
		locks = append(r.LocksOf(c.refs...), r.LocksOf("packed-refs")...)
	default:
		locks = append(r.Locks(), r.LocksOf("refs/stash", "shallow")...)
	}
	for _, l := range locks {
		return l.Path
	}
	return ""
}
