package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Repo is one repository as seen from one of its work trees. Close it.
type Repo struct {
	Top       string // top folder of the work tree; empty in a bare repository
	GitDir    string // of this work tree
	CommonDir string // shared by all work trees
	HooksDir  string // where git looks for hooks
	Format    string // object format: sha1 or sha256

	// OnWrite is told the process id of each git that writes, and 0 when it has
	// ended. It may be nil.
	OnWrite func(pid int)

	// Moving is told each ref that is about to be moved, or removed (new is empty then),
	// by UpdateRef and DeleteRef. It may be nil.
	Moving func(ref, new, old string) error

	// Guard is asked before each git that may run what is configured; what it answers
	// stands in its place. It may be nil.
	Guard func(context.Context) error

	apart    bool     // its files are a session's alone, see Elsewhere
	env      []string // the person's
	pinned   []string // which repository it is, see pin
	severed  []string // see Distrust
	silenced []string // settings that switch configured hooks off
	filters  []string // settings, and the variable that they need: see ConfineFilters
	confined []string
	objects  *reader
	writer   writer
}

// Open finds the repository that git finds from dir (empty: the current
// folder). It costs one git process. The error is ErrNotRepository where there
// is none, else git's own.
func Open(ctx context.Context, dir string) (*Repo, error) {
	if dir == "" {
		dir = "."
	}
	r := &Repo{GitDir: dir, env: environment()}
	// A folder's name may hold any byte but NUL, and rev-parse has no -z: the
	// object format, asked for between them, parts the paths.
	out, err := r.Ask(ctx, "rev-parse", "--path-format=absolute", "--show-object-format",
		"--git-dir", "--show-object-format", "--git-common-dir", "--show-object-format", "--git-path", "hooks",
		"--show-object-format", "--show-toplevel")
	format, rest, _ := strings.Cut(out, "\n")
	parts := strings.Split(rest, "\n"+format+"\n")
	if len(parts) < 3 {
		var e *Error
		if errors.As(err, &e) && e.Code == 128 && !insideGitDir(dir) {
			return nil, notRepository(e)
		}
		if err == nil {
			err = fmt.Errorf("git rev-parse told no places, but %q", out)
		}
		return nil, err
	}
	r.Format, r.GitDir, r.CommonDir, r.HooksDir = format, parts[0], parts[1], strings.TrimSuffix(parts[2], "\n"+format)
	if len(parts) > 3 && err == nil {
		r.Top = parts[3]
	}
	r.pin()
	r.objects = &reader{repo: r}
	r.writer.repo = r
	return r, nil
}

// OpenHere is Open from the current folder, with Config and with the process
// that reads objects: three git processes that are started together,
// since starting them is what a short command's time goes into.
func OpenHere(ctx context.Context) (*Repo, *Config, error) {
	here := &Repo{GitDir: ".", env: environment()} // which repository that is, is found meanwhile
	here.objects = &reader{repo: here}
	var config string
	var configErr error
	var meanwhile sync.WaitGroup
	meanwhile.Go(func() { config, configErr = here.configText(ctx) })
	meanwhile.Go(func() { _ = here.objects.start() }) // else the first read does, and says why not
	r, err := Open(ctx, "")
	meanwhile.Wait()
	if err != nil {
		here.objects.close()
		return nil, nil, err
	}
	r.objects = here.objects
	r.objects.repo = r
	if configErr != nil {
		r.Close()
		return nil, nil, configErr
	}
	read := r.parseConfig(config)
	r.silenced = read.silence()
	return r, read, nil
}

// Outside is git if there is no repository, with what is configured for all.
func Outside(ctx context.Context) (*Repo, *Config, error) {
	r := &Repo{GitDir: ".", env: environment()}
	out, err := r.configText(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.objects = &reader{repo: r}
	config := r.parseConfig(out)
	r.silenced = config.silence()
	return r, config, nil
}

// notRepository keeps git's words (it also says "dubious ownership" and the
// like) behind the sentinel.
func notRepository(e *Error) error { return &notFound{e} }

type notFound struct{ cause *Error }

func (n *notFound) Error() string {
	first, _, _ := strings.Cut(strings.TrimSpace(n.cause.Stderr), "\n")
	return strings.TrimPrefix(first, "fatal: ")
}
func (n *notFound) Is(target error) bool { return target == ErrNotRepository }
func (n *notFound) Unwrap() error        { return n.cause }

func insideGitDir(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "HEAD"))
	return err == nil
}

// Close ends the processes that were kept for reading.
func (r *Repo) Close() {
	if r != nil && r.objects != nil {
		r.objects.close()
	}
}

// Zero returns the object name that stands for "no object" in ref updates.
func (r *Repo) Zero() string {
	if r.Format == "sha256" {
		return strings.Repeat("0", 64)
	}
	return strings.Repeat("0", 40)
}

// EmptyTree returns the name of the tree without entries.
func (r *Repo) EmptyTree() string {
	if r.Format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// Operation names what git is in the middle of in this work tree ("merge",
// "rebase", "cherry-pick", "revert", "bisect"), or is empty.
func (r *Repo) Operation() string {
	for _, o := range [...]struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(r.GitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// PlanDir returns where this program keeps its local state: <common dir>/plan.
func (r *Repo) PlanDir(elem ...string) string {
	return filepath.Join(append([]string{r.CommonDir, "plan"}, elem...)...)
}

func (r *Repo) dir() string {
	if r.Top != "" {
		return r.Top
	}
	return r.GitDir
}
