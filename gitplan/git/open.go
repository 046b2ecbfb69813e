package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/fault"
)

// Open finds the repository that git finds from dir (empty: the current folder), by one git process. The error is
// ErrNotRepository, ErrTooOld, or git's own.
func Open(ctx context.Context, dir string) (*Repo, error) {
	dir = cmp.Or(dir, ".")
	r := &Repo{GitDir: dir, env: environment(), filters: &filters{}}
	parts, err := findPaths(ctx, r)
	if len(parts) < 3 && err != nil {
		// An empty core.hooksPath, which some people and gemini's shell set to switch hooks off, is not a path to
		// git.
		off := &Repo{GitDir: dir, env: WithSettings(environment(), "core.hooksPath", os.DevNull), filters: r.filters}
		if again, _ := findPaths(ctx, off); len(again) >= 3 {
			r, parts, err = off, again, nil
		}
	}
	if len(parts) < 3 {
		if e, ok := errors.AsType[*Error](err); ok && e.Code == Fatal {
			if _, bare := os.Stat(filepath.Join(dir, "HEAD")); bare != nil {
				kind := ErrNotRepository
				if strings.Contains(e.Stderr, "dubious ownership") {
					kind = ErrOwner
				}
				said, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(e.Stderr), "fatal: "), "\n")
				return nil, &fault.Fault{Kind: kind, Text: said, Cause: e}
			}
		}
		if err == nil {
			err = fmt.Errorf("git rev-parse printed no paths, but %q", parts)
		}
		return nil, err
	}
	r.GitDir, r.CommonDir, r.HooksDir = parts[0], parts[1], strings.TrimSuffix(parts[2], "\n"+r.Format)
	if len(parts) > 3 && err == nil {
		r.Top = parts[3]
	}
	pin(r)
	r.objects = &reader{}
	return r, nil
}

// absolute is an option that git knows since it takes settings from its environment. An older one prints it.
const absolute = "--path-format=absolute"

// findPaths returns git's answers on where the repository is, and sets its format.
func findPaths(ctx context.Context, r *Repo) ([]string, error) {
	// The name of a folder may contain any byte but NUL, and rev-parse has no -z: the object
	// format, requested between them, separates the paths.
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

// OpenHere is Open from the current folder, together with Config and the process that reads objects: to start
// them at the same time saves a short command most of its time.
func OpenHere(ctx context.Context) (*Repo, *Config, error) {
	here := &Repo{GitDir: ".", env: environment()} // Open finds out meanwhile which repository that is
	here.objects = &reader{}
	var config string
	var configErr error
	var meanwhile sync.WaitGroup
	meanwhile.Go(func() { config, configErr = configText(ctx, here) })
	meanwhile.Go(func() { _ = startReader(here) }) // if it fails the first read tries again, and reports why
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

// adopt parses the configuration in force, and switches off the hooks that it configures.
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
	out, err := configText(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	r.objects = &reader{}
	return r, adopt(r, out), nil
}

// Oldest is the oldest git that takes settings from its environment (GIT_CONFIG_COUNT).
const Oldest = "2.31"

// TooOld reports whether a version such as 2.39.5 is older than Oldest.
func TooOld(version string) bool {
	var n, oldest [2]int
	_, _ = fmt.Sscanf(version, "%d.%d", &n[0], &n[1])
	_, _ = fmt.Sscanf(Oldest, "%d.%d", &oldest[0], &oldest[1])
	return slices.Compare(n[:], oldest[:]) < 0
}
