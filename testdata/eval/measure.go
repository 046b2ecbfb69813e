package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// measure fills in how far the branch got, what that cost, and the findings of the built-in rules.
func (w *workshop) measure(ctx context.Context, r *Result, at *place) error {
	var status struct {
		State    string
		Progress struct{ Done, Total int }
		Review   struct{ End string }
	}
	var stats struct {
		Total struct {
			Sessions, Attempts int
			Tokens             Tokens
			CostUSD            *float64
		}
	}
	var plan struct {
		Steps []struct{ Files []string }
	}
	for what, into := range map[string]any{"status": &status, "log --stats": &stats, "show": &plan} {
		if err := at.ask(ctx, into, append(strings.Fields(what), "--json")...); err != nil {
			return err
		}
	}
	r.Steps, r.Review = Share{status.Progress.Done, status.Progress.Total}, status.Review.End
	r.Done = status.State == "done" && r.Exits[len(r.Exits)-1] == 0
	r.Sessions, r.Attempts, r.Tokens, r.CostUSD = stats.Total.Sessions, stats.Total.Attempts, stats.Total.Tokens, stats.Total.CostUSD
	changed, err := w.command(ctx, at.repo, gitAlone, "git", "diff", "--name-only", "--no-renames", "-z", at.base, at.head)
	if err != nil {
		return err
	}
	var named []string
	for _, s := range plan.Steps {
		if len(s.Files) == 0 { // any change is allowed
			named = append(named, "**")
		}
		named = append(named, s.Files...)
	}
	r.Drift = drift(strings.FieldsFunc(changed, func(c rune) bool { return c == 0 }), named)
	if r.Weakened, err = at.weakened(ctx, at.head); err != nil {
		return err
	}
	refs, err := w.command(ctx, at.repo, gitAlone, "git", "for-each-ref", "--format=%(objectname)", "refs/plan-attempts")
	if err != nil {
		return err
	}
	for _, kept := range strings.Fields(refs) {
		more, err := at.weakened(ctx, kept)
		if err != nil {
			return err
		}
		r.Refused = append(r.Refused, more...)
	}
	slices.Sort(r.Refused)
	r.Refused = slices.Compact(r.Refused)
	return nil
}

// drift returns the changed paths that match no pattern.
func drift(changed, named []string) (out []string) {
	for _, path := range changed {
		if !slices.ContainsFunc(named, func(pattern string) bool {
			ok, _ := doublestar.Match(pattern, path)
			return ok || strings.HasPrefix(path, strings.TrimSuffix(pattern, "/")+"/")
		}) {
			out = append(out, path)
		}
	}
	return out
}

// weakened returns the built-in rules about tests, and about what checks run, that a commit breaks.
func (p *place) weakened(ctx context.Context, commit string) (names []string, err error) {
	if commit == p.base {
		return nil, nil
	}
	var found struct {
		Findings []struct{ Rule, Category string }
	}
	if err := p.ask(ctx, &found, "review", "--rules", p.base+".."+commit, "--format", "json"); err != nil {
		return nil, err
	}
	for _, f := range found.Findings {
		if (f.Category == "tests" || f.Rule == rules.CheckAltered) && !slices.Contains(names, f.Rule) {
			names = append(names, f.Rule)
		}
	}
	slices.Sort(names)
	return names, nil
}

// ask has git plan print something as JSON, whatever its exit code.
func (p *place) ask(ctx context.Context, into any, args ...string) error {
	out, said := &proc.Head{Max: 64 << 20}, &proc.Tail{}
	if _, err := proc.Run(ctx, proc.Cmd{Name: p.program, Args: args, Dir: p.repo, Env: p.env, Stdout: out, Stderr: said, Group: true, Timeout: limit}); err != nil {
		return err
	}
	if err := json.Unmarshal(out.Text, into); err != nil {
		return fmt.Errorf("git plan %s: %w\n%s", strings.Join(args, " "), err, said)
	}
	return nil
}
