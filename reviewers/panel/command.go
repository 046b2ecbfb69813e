package panel

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// Command is a person's own program, such as a linter (planReviewer.<name>.command). It runs by sh -c in a clone of its
// own. Exit 0 or 1 with findings (SARIF, rdjsonl, or a model's JSON) is an answer, as is exit 0 without output; nothing
// else is. Its findings need no confirmation.
type Command struct {
	Line    string
	Env     []string      // the complete environment
	Timeout time.Duration // 0: none
	// Confine returns the sandbox for its clone, since linters may run code there; nil: unconfined.
	Confine func(ctx context.Context, dir string) (*proc.Confinement, error)
}

// run runs the program. It may write to its clone, except to the files under review.
func (r *Reviewer) run(ctx context.Context, t *Target) (rep Report) {
	c := r.Command
	var confine *proc.Confinement
	if c.Confine != nil {
		var err error
		if confine, err = c.Confine(ctx, t.Dir); err != nil {
			rep.Incomplete = finding.Line(err.Error(), finding.MaxText)
			return rep
		}
	}
	name, args := proc.Shell(c.Line)
	var stdout bytes.Buffer
	stderr := &proc.Tail{}
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: name, Args: args, Dir: t.Dir, Group: true, Confine: confine, Timeout: c.Timeout, MaxOutput: finding.MaxOutput,
		Stdout: &stdout, Stderr: stderr,
		Env: append(c.Env[:len(c.Env):len(c.Env)], proc.Mark("review-"+integrity.Random(4)), "GIT_PLAN_ROLE=reviewer",
			"GIT_PLAN_ID="+t.PlanID, "GIT_PLAN_BRANCH="+t.Branch,
			"GIT_PLAN_NONCE="+t.Nonce, "GIT_PLAN_BASE="+t.Base, "GIT_PLAN_HEAD="+t.Head,
			"GIT_PLAN_REVIEWER="+r.Name, fmt.Sprintf("GIT_PLAN_ROUND=%d", t.Round)),
	})
	last := finding.Line(agent.LastLine(stderr.String()), finding.MaxTitle)
	silent := len(bytes.TrimSpace(stdout.Bytes())) == 0
	switch {
	case err != nil:
		rep.Incomplete = finding.Line(err.Error(), finding.MaxTitle)
	case exit.TimedOut:
		rep.Incomplete = fmt.Sprintf("it did not end within %s", c.Timeout) + last
	case exit.Code != 0 && exit.Code != 1, exit.Code == 1 && silent:
		rep.Incomplete = fmt.Sprintf("it ended with exit code %d", exit.Code) +
			map[bool]string{true: " and gave no findings"}[exit.Code == 1] + last +
			runner.Denied(c.Env, confine, c.Line, stderr.String())
	case silent:
		rep.Covered = paths(t.Diff)
	default:
		r.read(ctx, t, stdout.String(), &rep)
	}
	return rep
}

// read reads a command's output. Linters check the whole repository, so only findings in changed lines count.
func (r *Reviewer) read(ctx context.Context, t *Target, text string, rep *Report) {
	covered := paths(t.Diff)
	all, linter, err := finding.ReadLinter(text, t.Nonce)
	switch {
	case !linter:
		var a *finding.Answer
		if a, err = finding.ParseAnswer(text, finding.Terms{Nonce: t.Nonce, Lenient: true}); err == nil {
			all = a.Findings
		}
		if err == nil && len(a.Covered) > 0 {
			covered, err = a.Judged(covered)
		}
	case err == nil:
		all, err = insideOnly(t.Dir, all)
		all = t.Code(ctx).OfChange(all)
	}
	if err != nil { // paths of the clone, which is gone later, would mislead
		why := strings.ReplaceAll(err.Error(), t.Dir+"/", "")
		rep.Incomplete = "its output cannot be used: " + finding.Line(why, finding.MaxTitle)
		return
	}
	rep.Covered, rep.Findings = covered, all
	for i := range rep.Findings {
		f := &rep.Findings[i]
		f.Reviewers, f.Round, f.Status = []string{r.Name}, t.Round, finding.Confirmed
		f.Verified = true
	}
	t.Code(ctx).Anchor(rep.Findings)
}

func paths(d *git.Diff) []string {
	var out []string
	for _, f := range d.Files {
		out = append(out, f.Path)
	}
	return out
}

// insideOnly makes the paths in findings of a program that ran in dir relative to dir, and leaves out findings in files
// outside. If all files are outside, the program's paths cannot be understood, which is an error.
func insideOnly(dir string, all []finding.Finding) (out []finding.Finding, err error) {
	real, _ := filepath.EvalSymlinks(dir)
	here := false
	for _, f := range all {
		if f.File != "" {
			path, ok := inside(dir, real, f.File)
			if !ok {
				err = cmp.Or(err, fmt.Errorf("it names %s, which is not in the repository",
					finding.ShowPath(finding.Line(f.File, finding.MaxTitle))))
				continue
			}
			f.File, here = path, true
		}
		out = append(out, f)
	}
	if here {
		err = nil
	}
	return out, err
}

func inside(dir, real, p string) (path string, ok bool) {
	for _, d := range []string{dir, real} {
		if rel, err := filepath.Rel(d, p); filepath.IsAbs(p) && err == nil && filepath.IsLocal(rel) {
			p = rel
		}
	}
	path = strings.TrimPrefix(filepath.ToSlash(p), "./")
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
	return path, err == nil && finding.InRepository(path)
}
