package integrity

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// OpenHere opens the repository of the current folder; if a session's work there is recorded, the repository
// that it was recorded for: the session may have pointed .git to another one before its git plan was killed. If
// that is gone, the error is ErrNoLonger.
func OpenHere(ctx context.Context) (*git.Repo, *git.Config, error) {
	repo, config, err := git.OpenHere(ctx)
	rec, unread := recordHere()
	if unread == nil && (rec == nil || err == nil && rec.isOf(repo)) {
		return repo, config, err
	}
	if err == nil {
		repo.Close()
	}
	if unread != nil {
		return nil, nil, unread
	}
	for name, value := range map[string]string{"GIT_DIR": rec.GitDir, "GIT_COMMON_DIR": rec.CommonDir, "GIT_WORK_TREE": rec.Top} {
		if err := os.Setenv(name, value); err != nil {
			return nil, nil, err
		}
	}
	if repo, config, err = git.OpenHere(ctx); err == nil && rec.isOf(repo) {
		return repo, config, nil
	}
	if err == nil {
		repo.Close()
	}
	return nil, nil, rec.noLonger()
}

func (rec *Record) isOf(r *git.Repo) bool {
	return rec.GitDir == r.GitDir && rec.CommonDir == r.CommonDir && rec.Top == r.Top && !rec.gone()
}

// gone reports whether the repository of the record is no longer at its path: a session moved it away, or a person
// removed it and perhaps made another. Records of older versions do not say when it was made.
func (rec *Record) gone() bool { return rec.Born != "" && rec.Born != proc.Born(rec.CommonDir) }

func (rec *Record) noLonger() error {
	return fault.New(fault.ErrNoLonger, "%s is no longer the repository of %s on branch %s, which was %s; if that is as you want it: rm %s",
		visible.OneLine(filepath.Join(rec.Top, ".git"), 400), DuringTask(rec.Task), visible.OneLine(rec.Branch, 200), visible.OneLine(rec.GitDir, 400), visible.Shell(rec.at.Path))
}

// recordHere returns the record for the work tree of the current folder; nil if the environment names a repository.
func recordHere() (*Record, error) {
	state, err := journal.StateFolder()
	if err != nil || os.Getenv("GIT_DIR")+os.Getenv("GIT_WORK_TREE") != "" {
		return nil, nil
	}
	kind := filepath.Join(state, "git-plan", setUps)
	repositories, err := os.ReadDir(kind)
	if err = unreadable(err); err != nil {
		return nil, err
	}
	tops := proc.WorkTrees()
	for _, r := range repositories {
		recs, err := recordsOf(journal.Notes{Dir: filepath.Join(kind, r.Name())})
		if err != nil {
			return nil, err
		}
		for _, rec := range recs {
			if slices.Contains(tops, rec.Top) && rec.GitDir != "" {
				return rec, nil
			}
		}
	}
	return nil, nil
}
