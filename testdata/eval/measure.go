package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
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
	for what, into := range map[string]any{"status": &status, "log --stats": &stats} {
		if err := at.ask(ctx, into, append(strings.Fields(what), "--json")...); err != nil {
			return err
		}
	}
	r.Steps, r.Review = Share{status.Progress.Done, status.Progress.Total}, status.Review.End
	r.Done = status.State == "done" && r.Exits[len(r.Exits)-1] == 0
	r.Sessions, r.Attempts, r.Tokens, r.CostUSD = stats.Total.Sessions, stats.Total.Attempts, stats.Total.Tokens, stats.Total.CostUSD
	var err error
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

// transcripts is the contents of a trial's transcripts, including a failed planner's, which no plan reports.
type transcripts struct {
	Sessions, Requests, Calls, Malformed int
	Tokens                               Tokens
	Prompts                              map[string]string
	Paths                                []string
}

// transcripts reads the transcripts that git plan has kept.
func (p *place) transcripts() transcripts {
	found := transcripts{Prompts: map[string]string{}}
	dir := filepath.Join(p.repo, ".git", "plan")
	all, _ := files(dir)
	for _, path := range all {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || !strings.HasSuffix(path, ".jsonl") {
			continue
		}
		found.Paths = append(found.Paths, filepath.Join(dir, path))
		for line := range strings.Lines(string(text)) {
			var record agent.Record
			if json.Unmarshal([]byte(line), &record) == nil {
				found.add(record)
			}
		}
	}
	return found
}

func (t *transcripts) add(r agent.Record) {
	if r.System != "" {
		t.Sessions++
		sum := sha256.Sum256([]byte(r.System))
		t.Prompts[string(r.Role)] = hex.EncodeToString(sum[:6])
	}
	if r.Turn > 0 && r.Tokens != nil {
		t.Requests++
		t.Calls += len(r.Calls)
		t.Tokens.In += int(r.Tokens.In)
		t.Tokens.Cached += int(r.Tokens.Cached)
		t.Tokens.Written += int(r.Tokens.Written)
		t.Tokens.Out += int(r.Tokens.Out)
		t.Tokens.Unreported += int(r.Tokens.Unreported)
	}
	for _, a := range r.Answers {
		for _, begins := range []string{"error: there is no tool ", "error: the argument", "error: too many calls"} {
			if strings.HasPrefix(a.Text, begins) {
				t.Malformed++
			}
		}
	}
}

// recorded fills in values from the transcripts and the settings, and keeps the transcripts, in which git
// plan has masked the key, and the output of its commands.
func (w *workshop) recorded(ctx context.Context, r *Result, at *place) error {
	found := at.transcripts()
	r.Requests, r.Calls, r.Malformed, r.Sessions, r.Tokens = found.Requests, found.Calls, found.Malformed, found.Sessions, found.Tokens
	r.CostUSD = w.agent.cost(found.Tokens)
	r.Setting = Setting{Endpoint: w.agent.Base, Effort: w.agent.Effort, Prompts: found.Prompts, Tools: map[string]string{}}
	tools := [][]string{{"git", "--version"}, {"go", "version"}}
	if w.agent.Program != "" {
		tools = append(tools, []string{w.agent.Program, "--version"})
	}
	for _, argv := range tools {
		if out, err := w.command(ctx, w.dir, nil, argv[0], argv[1:]...); err == nil {
			r.Setting.Tools[argv[0]] = strings.TrimSpace(out)
		}
	}
	kept := filepath.Join(w.dir, "transcripts", fmt.Sprintf("%s-%s-%d", r.Task, r.Arm, r.Run))
	if err := os.MkdirAll(kept, 0o700); err != nil {
		return err
	}
	for _, path := range append(found.Paths, filepath.Join(at.dir, "said.txt")) {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(kept, filepath.Base(path)), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// cost returns the price of tokens; nil if no price was given.
func (a *Agent) cost(t Tokens) *float64 {
	var n []float64
	for _, part := range strings.Split(a.Price, ",") {
		f, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil
		}
		n = append(n, f)
	}
	if len(n) < 3 || t.Unreported > 0 {
		return nil
	}
	written := append(n, agent.WrittenToIn*n[0])[3]
	c := agent.Price{In: n[0], Cached: n[1], Out: n[2], Written: written}.Of(agent.Tokens{In: int64(t.In), Cached: int64(t.Cached), Written: int64(t.Written), Out: int64(t.Out)})
	return &c.USD
}
