package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

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
func (w *workshop) recorded(ctx context.Context, r *Result, at *place, arm Arm) error {
	found := at.transcripts()
	r.Requests, r.Calls, r.Malformed, r.Sessions, r.Tokens = found.Requests, found.Calls, found.Malformed, found.Sessions, found.Tokens
	r.CostUSD = w.agent.cost(found.Tokens)
	r.Setting = Setting{Endpoint: w.agent.Base, Effort: w.agent.Effort, Prompts: found.Prompts, Keys: arm.Set, Tools: map[string]string{}}
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
