package panel

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Target is what one round judges: the branch at the beginning of the round.
type Target struct {
	Branch     string
	Base, Head string // the merge base and the judged commit, as full object names
	Round      int    // the round's number, from 1
	Nonce      string // a random word that every answer of this round must repeat
	Dir        string // a temporary clone at Head; empty if no reviewer shares one

	Plan       *plan.Plan // nil without a plan
	Progress   *progress.Progress
	PlanID     string
	Guidelines string       // the repository's own instructions, read from the base
	Commits    []git.Commit // Base..Head, newest first

	// Diff is the whole change. Judge is the part for this round: after the first round, the change by the last fixer.
	Diff, Judge *git.Diff

	Open, Dismissed []finding.Finding // the findings of earlier rounds
	Fixes           []git.Commit      // the commits of fixers, newest first
	Fixed           *git.Diff         // the change by these commits; nil in the first round

	Attributes map[string]map[string]string // path -> linguist attributes in the base
	Secret     map[string]bool              // paths of files with a secret, which no model sees
	Repo       *git.Repo
	fresh      map[string]string // Fingerprints of a reviewer's own clone before its sessions
	onEvent    func(agent.Event) // called by the session that fills the provider's cache; else nil
}

// File reads a file of Head; false if Head has no such regular file.
func (t *Target) File(ctx context.Context, p string) ([]byte, bool) {
	if t.Repo == nil || !finding.InRepository(p) {
		return nil, false
	}
	return rules.FilesOf(ctx, t.Repo, t.Head)(p)
}

// Code returns the code for placing findings.
func (t *Target) Code(ctx context.Context) finding.Code {
	return finding.Code{Diff: t.Diff, File: func(path string) ([]byte, bool) { return t.File(ctx, path) }}
}

// ReadAttributes reads the linguist attributes of the changed files in the base.
func (t *Target) ReadAttributes(ctx context.Context) (err error) {
	t.Attributes, err = worktree.Attributes(ctx, t.Repo, t.Base, []string{"linguist-generated", "linguist-vendored"},
		append(paths(t.Diff), paths(t.Judge)...))
	return err
}

// ApplyRules returns the report of the built-in rules on the whole change, so that a finding they no longer report is
// fixed.
func ApplyRules(ctx context.Context, t *Target) Report {
	r := Report{Reviewer: finding.RulesName}
	c := rules.Change{Diff: t.Diff, Commits: t.Commits, Plan: t.Plan, Checks: ChecksOf(t.Plan)}
	hits, err := rules.FindIn(ctx, t.Repo, t.Base, t.Head, c, rules.All())
	var lost []rules.Hit
	if err == nil {
		lost, err = rules.NewHistory(t.Repo).Secrets(ctx, t.Commits, hits)
	}
	if err != nil {
		r.Incomplete = finding.Line("the change could not be read: "+err.Error(), finding.MaxTitle)
		return r
	}
	var inBase []string // steps whose commits the base has
	if t.Plan != nil && t.Progress != nil {
		for _, s := range t.Plan.Steps {
			st := t.Progress.Steps[s.ID]
			judged := slices.ContainsFunc(t.Commits, func(c git.Commit) bool { return c.OID == st.Commit })
			if st.State == progress.StateDone && st.Commit != journal.None && !judged {
				inBase = append(inBase, s.ID)
			}
		}
	}
	if key := strings.Join(inBase, ", "); key != "" {
		lost = append(lost, rules.Hit{
			Rule: "step-in-base", Category: "plan", Severity: "medium", Key: key, Ask: true, NonBlocking: true,
			Title: "the base has these steps already, so they are not judged: " + key,
			Why:   "A review judges what the base has not. If they were not merged, put the base back and review again.",
		})
	}
	for _, h := range append(hits, lost...) {
		f := finding.FromHit(h)
		f.Round = t.Round
		r.Findings = append(r.Findings, f)
	}
	t.Code(ctx).Anchor(r.Findings)
	r.Covered = paths(t.Diff)
	return r
}

// ChecksOf returns the check commands of a plan and all its steps, since a change may alter another step's check.
func ChecksOf(p *plan.Plan) []string {
	if p == nil {
		return nil
	}
	all := slices.Concat(p.Checks, p.Verification)
	for i := range p.Steps {
		all = append(all, p.Steps[i].Checks...)
	}
	return slices.Compact(slices.Sorted(slices.Values(plan.Commands(all))))
}

// inClone calls judge with a target in a clone of its own, or with t if it shares the round's clone. A judged file that
// was changed in the own clone is an error if judge answered: it may have read something else.
func (t *Target) inClone(ctx context.Context, shares bool, judge func(own *Target) (answered bool)) error {
	if shares {
		judge(t)
		return nil
	}
	dir, remove, err := checkout.Throwaway(ctx, t.Repo, t.Head, "tree")
	if err != nil {
		return fmt.Errorf("there is no clone for it: %w", err)
	}
	defer remove()
	own := *t
	own.Dir = dir
	if err := own.HideSecrets(); err != nil {
		return err
	}
	if own.fresh, err = own.Fingerprints(); err != nil {
		return err
	}
	if !judge(&own) {
		return nil
	}
	changed := "the clone as a whole"
	if now, err := own.Fingerprints(); err == nil {
		changed = finding.Some(own.judgedFiles(ctx, now), 3)
	}
	if changed == "" {
		return nil
	}
	return fmt.Errorf("it changed its copy: %s; a reviewer must not write to files under review: say so in its persona, or change its command", changed)
}

// HideSecrets removes the files in which a secret was found from the clone, if there is one.
func (t *Target) HideSecrets() error {
	if len(t.Secret) == 0 || t.Dir == "" {
		return nil
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for p := range t.Secret {
		if err := root.Remove(p); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("a file with a secret could not be hidden: %w", err)
		}
	}
	return nil
}

// judgedFiles returns the paths whose state differs from t.fresh, among committed files, HEAD, refs and settings. New
// files do not count, since a reviewer may run tests, nor does the index, which git itself writes.
func (t *Target) judgedFiles(ctx context.Context, now map[string]string) []string {
	var list []string
	for p, state := range t.fresh {
		if now[p] != state && !t.asCommitted(ctx, p) {
			list = append(list, p)
		}
	}
	for p := range now {
		if _, was := t.fresh[p]; !was && strings.HasPrefix(p, ".git/") {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

func (t *Target) asCommitted(ctx context.Context, p string) bool {
	want, ok := t.File(ctx, p)
	info, err := os.Lstat(filepath.Join(t.Dir, filepath.FromSlash(p)))
	if !ok || err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(want)) ||
		!strings.HasPrefix(t.fresh[p], info.Mode().String()+" ") {
		return false
	}
	got, err := os.ReadFile(filepath.Join(t.Dir, filepath.FromSlash(p)))
	return err == nil && bytes.Equal(got, want)
}

// Fingerprints returns the state of each file of the clone, if any, and of the files in .git that decide how git reads
// them. It does not use git, which a session may have configured to run a program or skip files. The state includes the
// change time (ctime), since a program can set size and modification time back.
func (t *Target) Fingerprints() (map[string]string, error) {
	if t.Dir == "" {
		return nil, nil
	}
	seen := map[string]string{}
	decisive := []string{"HEAD", "config", "config.worktree", "packed-refs", "refs", "info", "hooks"}
	err := filepath.WalkDir(t.Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(p, t.Dir+string(filepath.Separator)))
		below, inGit := strings.CutPrefix(rel, ".git/")
		part, _, _ := strings.Cut(below, "/")
		switch other := inGit && !slices.Contains(decisive, part); {
		case other && d.IsDir():
			return fs.SkipDir // git itself writes there
		case other, d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target, _ := os.Readlink(p) // "" unless it is a link
		seen[rel] = fmt.Sprintf("%v %d %d %d %q", info.Mode(), info.Size(), info.ModTime().UnixNano(),
			proc.Changed(info).UnixNano(), target)
		return nil
	})
	return seen, err
}
