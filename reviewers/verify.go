package reviewers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
)

// Verification is what a verifier session answered: one judgement for each finding that
// it was given.
type Verification struct {
	Judged     map[string]Judgement // by finding ID
	Incomplete string               // why there is no usable answer
	Spent      string               // why the budget did not allow one
	Later      error                // why there is none now
	Agent      string
	Sessions   int
	Tokens     agent.Tokens
	Cost       agent.Cost
}

// Verify asks a fresh session about findings. Without findings it starts nothing.
func Verify(ctx context.Context, hold Hold, t *Target, findings []Finding) Verification {
	if len(findings) == 0 {
		return Verification{}
	}
	if hold == nil {
		return Verification{Incomplete: "there is no verifier"}
	}
	file, remove, err := findingsFile(findings)
	if err != nil {
		return Verification{Incomplete: line(err.Error(), maxTitle)}
	}
	defer remove()
	s := t.session(agent.Verifier, "", verifierPrompt(t, findings))
	s.Review.Findings = file
	var v Verification
	accept := func(text string) (err error) {
		v.Judged, err = parseVerification(text, t.Nonce, findings)
		return err
	}
	use, incomplete := ask(ctx, hold, s, accept)
	v.Sessions = use.sessions
	v.Agent, v.Tokens, v.Cost, v.Spent, v.Incomplete = use.Agent, use.Tokens, use.Cost, spent(use.Result), incomplete
	v.Later = later("the verifier", use.Status, use.Reason)
	if incomplete != "" {
		v.Judged = nil
	}
	for id, j := range v.Judged {
		v.Judged[id] = t.cited(ctx, j)
	}
	return v
}

// after adds what was used before by the same verifier, who is asked again.
func (v Verification) after(before Verification) Verification {
	v.Sessions += before.Sessions
	v.Tokens = v.Tokens.Add(before.Tokens)
	v.Cost = agent.Cost{USD: v.Cost.USD + before.Cost.USD, Known: v.Cost.Known && (before.Cost.Known || before.Sessions == 0)}
	return v
}

// in adds a verification to what the verifier did in this round before.
func (v Verification) in(before *Reviewed) *Reviewed {
	out := Reviewed{Name: "verifier", Agent: v.Agent, Incomplete: v.Incomplete, Sessions: v.Sessions, Tokens: v.Tokens, CostUSD: usd(v.Cost)}
	if before != nil {
		out.Sessions += before.Sessions
		out.Tokens = out.Tokens.Add(before.Tokens)
		if out.CostUSD != nil && before.CostUSD != nil {
			v.Cost.USD += *before.CostUSD
			out.CostUSD = usd(v.Cost)
		} else {
			out.CostUSD = nil
		}
	}
	return &out
}

// cited checks the citation of a refutation: one whose quote is in no file that it could
// be from is no more than a doubt.
func (t *Target) cited(ctx context.Context, j Judgement) Judgement {
	if j.Answer != Refuted || t.quotes(ctx, j.Quote) {
		return j
	}
	j.Answer = Plausible
	j.Because = line("refuted without a citation: "+j.Because, maxText)
	return j
}

// quotes reports whether a text is in some file of Head, by reading the clone: the
// changed files first, then all others.
func (t *Target) quotes(ctx context.Context, quote string) bool {
	if short(quote) {
		return false
	}
	for _, f := range t.Diff.Files {
		if data, ok := t.file(ctx, f.Path); ok && lineOf(quote, seen(data), nil) > 0 {
			return true
		}
	}
	found := errors.New("found")
	err := filepath.WalkDir(t.Dir, func(p string, d os.DirEntry, err error) error {
		switch {
		case err != nil || ctx.Err() != nil:
			return filepath.SkipAll
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > 1<<20 {
			return nil
		}
		if rel, err := filepath.Rel(t.Dir, p); err != nil || t.fresh != nil && t.fresh[filepath.ToSlash(rel)] == "" {
			return nil // the verifier wrote it
		}
		data, err := os.ReadFile(p)
		if err == nil && lineOf(quote, seen(data), nil) > 0 {
			return found
		}
		return nil
	})
	return errors.Is(err, found)
}

func parseVerification(text, nonce string, findings []Finding) (map[string]Judgement, error) {
	var raw struct {
		Answers *[]struct {
			ID, Answer     *string
			Because, Quote string
		} `json:"answers"`
	}
	if err := readObject(text, Terms{Nonce: nonce}, &raw); err != nil {
		return nil, err
	}
	if raw.Answers == nil {
		return nil, errors.New(`"answers" is missing`)
	}
	judged := map[string]Judgement{}
	for i, a := range *raw.Answers {
		if a.ID == nil || a.Answer == nil {
			return nil, fmt.Errorf(`answers[%d]: "id" or "answer" is missing`, i)
		}
		answer := Status(strings.ToLower(strings.TrimSpace(*a.Answer)))
		if !slices.Contains([]Status{Confirmed, Plausible, Refuted}, answer) {
			return nil, fmt.Errorf(`answers[%d]: "answer" is not confirmed, plausible or refuted`, i)
		}
		if old, twice := judged[*a.ID]; twice && old.Answer != answer {
			return nil, fmt.Errorf("answers[%d]: there are two answers for this finding", i)
		}
		judged[*a.ID] = Judgement{Answer: answer, Because: line(a.Because, maxText), Quote: block(a.Quote, maxQuote)}
	}
	for _, f := range findings {
		if _, ok := judged[f.ID]; !ok {
			return nil, fmt.Errorf("there is no answer for finding %s", f.ID)
		}
	}
	return judged, nil
}

// findingsFile writes findings to where a verifier or fixer can read them, outside of any
// tree.
func findingsFile(findings []Finding) (file string, remove func(), err error) {
	dir, remove, err := disk.TempFolder("findings")
	if err != nil {
		return "", nil, err
	}
	data, err := json.MarshalIndent(findings, "", "  ")
	if err == nil {
		file = filepath.Join(dir, "findings.json")
		err = os.WriteFile(file, append(data, '\n'), 0o600)
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return file, remove, nil
}

func verifierPrompt(t *Target, findings []Finding) agent.Prompt {
	p := &wording{}
	p.about(t)
	p.heading("The findings")
	p.say("%s, each with its id. GIT_PLAN_FINDINGS names a file with the same.", count(len(findings), "finding"))
	for _, f := range findings {
		p.data("finding "+f.ID, claim(f))
	}
	p.facts(t, "")
	p.heading("Your answer")
	p.say("%s\nYou only read: change nothing.", verdictForm)
	return agent.Prompt{System: "Role: verifier\n\n" + verifierContract, User: p.text.String()}
}

func claim(f Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "at %s, %s, %s\n", showPath(f.Place()), f.Category, f.Severity)
	fmt.Fprintf(&b, "quoted code:\n%s\n\nclaim: %s\n", f.Quote, f.Title)
	if f.Detail != "" {
		fmt.Fprintf(&b, "why: %s\n", f.Detail)
	}
	if f.Trigger != "" {
		fmt.Fprintf(&b, "trigger: %s\n", f.Trigger)
	}
	if f.Status == Dismissed {
		fmt.Fprintf(&b, "a fixer did not change it, because: %s\n", f.Because)
	}
	return b.String()
}
