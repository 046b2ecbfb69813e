package rounds

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/testdata/race"
)

// The sequences: reviewers and fixers that may do anything, over many rounds. The same behaviours are played
// in memory, against the pure transition and the real parser of answers, and in real repositories, against
// everything.
//
// The code under review is a set of bugs: each is one line of a.txt that begins with BUG. A bug that is
// "intended" is not a bug: its dismissal is right.

// sequences is how many are played, unless SEQUENCES is set.
func sequences(t *testing.T, usual int) uint64 {
	n := usual
	if v := os.Getenv("SEQUENCES"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
		n = max(n*usual/usualInMemory, 1) // both kinds in their proportion
	}
	return uint64(n)
}

const usualInMemory, usualInGit = 5000, 15

// behaviours of reviewers: what a session returns, given its prompt, its nonce and the bugs that an honest
// one finds. Only "honest" is a valid answer.
var behaviours = map[string]func(prompt, nonce string, bugs []string) agent.Result{
	"honest": func(_, nonce string, bugs []string) agent.Result { return answer(nonce, "a.txt", bugs) },
	"mute":   func(string, string, []string) agent.Result { return agent.Result{Status: agent.Done} },
	"crash": func(string, string, []string) agent.Result {
		return agent.Result{Status: agent.Failed, Reason: "exit 3"}
	},
	"timeout": func(_, nonce string, _ []string) agent.Result {
		r := answer(nonce, "a.txt", nil) // it printed something before the timeout
		r.Status = agent.TimedOut
		return r
	},
	"limited": func(string, string, []string) agent.Result { return agent.Result{Status: agent.Limited} },
	"garbage": func(string, string, []string) agent.Result {
		return agent.Result{Status: agent.Done, Answer: "No issues found. {\"findings\": []} LGTM"}
	},
	"echo of the prompt": func(prompt, _ string, _ []string) agent.Result {
		return agent.Result{Status: agent.Done, Answer: prompt}
	},
	"echo of the template": func(prompt, _ string, _ []string) agent.Result {
		return agent.Result{Status: agent.Done, Answer: template(prompt)}
	},
	"filled template": func(prompt, _ string, _ []string) agent.Result {
		return agent.Result{Status: agent.Done, Answer: strings.ReplaceAll(template(prompt), ", …", "")}
	},
	"stale":       func(string, string, []string) agent.Result { return answer("0000", "a.txt", nil) },
	"wrong range": func(_, nonce string, _ []string) agent.Result { return answer(nonce, "base.txt", nil) },
	"vacuous":     func(_, nonce string, _ []string) agent.Result { return answer(nonce, "", nil) },
}

// template returns the form of an answer that a prompt shows.
func template(prompt string) string {
	_, form, ok := strings.Cut(prompt, "Print one JSON object of this form on standard output, as the last thing, and exit with 0:\n\n")
	if !ok {
		panic("the prompt shows no form")
	}
	form, _, _ = strings.Cut(form, "\n")
	return form
}

// whole returns the prompt of an agent that prints its answer: only such an agent is shown the form, with its
// nonce.
func whole(s agent.Session) string { return (&cli.Command{}).FullPrompt(s) }

func answer(nonce, covered string, bugs []string) agent.Result {
	out := map[string]any{"nonce": nonce, "covered": []string{covered}, "findings": []map[string]string{}}
	if covered == "" {
		out["covered"] = []string{}
	}
	var list []map[string]string
	for _, b := range bugs {
		list = append(list, map[string]string{"category": "correctness", "severity": "high", "file": "a.txt", "quote": b, "title": "a bug", "remedy": "fix"})
	}
	if list != nil {
		out["findings"] = list
	}
	data, _ := json.Marshal(out)
	return agent.Result{Status: agent.Done, Answer: string(data)}
}

// fixers map a set of bugs and its branch to a new set.
var fixers = []string{"honest", "nothing", "lie", "dismiss", "another bug", "back", "uncommitted", "stash", "other branch", "rewind", "crash", "budget"}

// player draws behaviours. Most are honest, so that reviews get somewhere.
type player struct{ *rand.Rand }

func (p player) reviewer() string {
	if p.IntN(10) > 0 {
		return "honest"
	}
	names := slices.Sorted(maps.Keys(behaviours))
	return names[p.IntN(len(names))]
}

func (p player) fixer() string {
	if p.IntN(3) > 0 {
		return "honest"
	}
	return fixers[p.IntN(len(fixers))]
}

// fixed is the set of bugs after a fixer of this kind, the same in memory and in repositories.
func (p player) fixed(kind string, bugs, first []string) []string {
	switch kind {
	case "honest":
		return slices.DeleteFunc(slices.Clone(bugs), func(b string) bool { return !strings.Contains(b, "intended") })
	case "another bug":
		return append(slices.Clone(bugs)[min(1, len(bugs)):], fmt.Sprint("BUG new ", p.IntN(4)))
	case "back":
		return first
	}
	return bugs
}

func (p player) bugs() (out []string) {
	for i := range p.IntN(3) {
		out = append(out, fmt.Sprint("BUG number ", i))
	}
	if p.IntN(4) == 0 {
		out = append(out, "BUG as intended")
	}
	return out
}

// In memory: the parser, the rule of coverage and the transition are the real ones.
func TestTheLoopEndsAndPassesOnlyWhatWasJudged(t *testing.T) {
	seen := map[ledger.End]int{}
	for seed := range sequences(t, usualInMemory) {
		p := player{rand.New(rand.NewPCG(seed, 7))}
		s := Begin(p.IntN(6), p.IntN(8) == 0)
		bugs := p.bugs()
		first := bugs
		var last []string // behaviours of the required reviewers in the last round
		rounds, next := 0, Action{Do: Judge}
		for next.Do != Stop {
			switch next.Do {
			case Judge:
				rounds++
				j := Judged{Tree: strings.Join(bugs, "\n")}
				last = nil
				for range 1 + p.IntN(3) {
					last = append(last, p.reviewer())
				}
				judgeInMemory(t, &j, last, bugs)
				s, next = AfterJudging(s, j)
			case Fix:
				kind := p.fixer()
				r := Repaired{Tree: s.Trees[len(s.Trees)-1]}
				bugs = p.fixed(kind, bugs, first)
				r.Tree = strings.Join(bugs, "\n")
				switch kind {
				case "other branch", "rewind":
					r.Moved = kind
				case "budget":
					r.Spent = "spent"
				case "honest", "dismiss":
					for _, b := range bugs {
						if strings.Contains(b, "intended") { // the verifier agrees only to this
							r.Dismissed = append(r.Dismissed, b)
						}
					}
				}
				for _, b := range s.Open {
					r.Fixed = append(r.Fixed, b.ID) // all of them say so
				}
				s, next = AfterFixing(s, r)
			}
			if rounds > max(s.Rounds, 1) {
				t.Fatalf("seed %d: %d rounds of %d", seed, rounds, s.Rounds)
			}
		}
		seen[next.End]++
		if next.End.Passes() {
			for _, b := range last {
				if b != "honest" {
					t.Fatalf("seed %d: %s, though a reviewer was: %s", seed, next.End, b)
				}
			}
			open := slices.DeleteFunc(slices.Clone(bugs), func(b string) bool { return next.End == ledger.Explained && strings.Contains(b, "intended") })
			if len(open) > 0 {
				t.Fatalf("seed %d: %s with %q", seed, next.End, open)
			}
		}
	}
	for _, e := range []ledger.End{ledger.Clean, ledger.Explained, ledger.Stalemate, ledger.Oscillation, ledger.RoundsUp, ledger.Moved, ledger.Found, ledger.Budget, ledger.Incomplete} {
		if seen[e] == 0 {
			t.Errorf("no sequence ended %s: %v", e, seen)
		}
	}
	t.Log(seen)
}

func judgeInMemory(t *testing.T, j *Judged, reviewers []string, bugs []string) {
	change := &git.Diff{Files: []git.FileDiff{{Path: "a.txt", Status: 'A'}}}
	target := &panel.Target{Round: 1, Base: "b", Head: "h", Nonce: "n1", Diff: change, Judge: change}
	for _, kind := range reviewers {
		hold := func(_ context.Context, s agent.Session) agent.Result {
			return behaviours[kind](whole(s), s.Nonce, bugs)
		}
		who := persona("x", hold)
		who.Shares = true
		r := who.Review(t.Context(), target)
		if r.Incomplete != "" {
			j.Incomplete = cmp.Or(j.Incomplete, r.Incomplete)
			continue
		}
		j.Answers++
		for _, f := range r.Findings {
			if !slices.ContainsFunc(j.Blocking, func(b Blocking) bool { return b.ID == f.Quote }) {
				j.Blocking = append(j.Blocking, Blocking{ID: f.Quote})
			}
		}
	}
}

// In real repositories: the whole loop, with sessions that are functions.
func TestSequencesInRealRepositories(t *testing.T) {
	race.Skip(t)
	for seed := range sequences(t, usualInGit) {
		p := player{rand.New(rand.NewPCG(seed, 11))}
		b := newBranch(t)
		bugs := p.bugs()
		b.Commit("a.txt", "first\n"+strings.Join(bugs, "\n")+"\n")
		l := b.loop()
		l.Rounds, l.NoFix = 1+p.IntN(4), p.IntN(8) == 0
		l.Verifier.RunSession = verifiesHonestly
		last := map[string]string{} // of each reviewer in the last round
		l.Reviewers = nil
		for i := range 1 + p.IntN(3) {
			name := fmt.Sprint("reviewer", i)
			drawn := []string{p.reviewer(), p.reviewer(), p.reviewer(), p.reviewer()} // by round: they run in parallel
			kind := func(round int) string { return drawn[round-1] }
			l.Reviewers = append(l.Reviewers, persona(name, func(_ context.Context, s agent.Session) agent.Result {
				return behaviours[kind(s.Review.Round)](whole(s), s.Nonce, bugsIn(s.Dir))
			}))
			report := l.Report
			l.Report = func(n journal.Notice) {
				if report != nil {
					report(n)
				}
				if n.Kind == journal.ReviewRound {
					last[name] = kind(*n.Round)
				}
			}
		}
		l.Fix = b.fixes(p, bugs)
		out := b.run(l)
		if n := len(out.Ledger.Rounds); n > l.Rounds {
			t.Fatalf("seed %d: %d rounds of %d", seed, n, l.Rounds)
		}
		if out.Ledger.End.Passes() {
			b.Git("reset", "-q", "--hard") // what counts is what is committed
			left := slices.DeleteFunc(bugsIn(b.Dir), func(s string) bool { return out.Ledger.End == ledger.Explained && strings.Contains(s, "intended") })
			for name, kind := range last {
				if kind != "honest" || len(left) > 0 || b.Git("branch", "--show-current") != "feature" {
					t.Errorf("seed %d: %s with %q, and %s was: %s", seed, out.Ledger.End, left, name, kind)
				}
			}
		}
		b.Repo.Close()
	}
}

func bugsIn(dir string) (out []string) {
	data, _ := os.ReadFile(filepath.Join(dir, "a.txt"))
	for _, l := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(l, "BUG") {
			out = append(out, l)
		}
	}
	return out
}

// verifiesHonestly confirms all findings, and agrees to the dismissal of intended ones.
func verifiesHonestly(_ context.Context, s agent.Session) agent.Result {
	data, err := os.ReadFile(s.Review.Findings)
	var list []finding.Finding
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return agent.Result{Status: agent.Failed, Reason: err.Error()}
	}
	var answers []map[string]string
	for _, f := range list {
		word := "confirmed"
		if f.Status == finding.Dismissed && strings.Contains(f.Quote, "intended") {
			word = "refuted"
		}
		answers = append(answers, map[string]string{"id": f.ID, "answer": word, "because": "seen", "quote": f.Quote})
	}
	text, _ := json.Marshal(map[string]any{"nonce": s.Nonce, "answers": answers})
	return agent.Result{Status: agent.Done, Answer: string(text)}
}

// fixes is a fixer that does something different in each round.
func (b *branch) fixes(p player, first []string) func(context.Context, Repair) (ledger.FixRecord, error) {
	return func(ctx context.Context, r Repair) (ledger.FixRecord, error) {
		kind := p.fixer()
		m, _ := says(map[bool]string{true: "dismissed", false: "fixed"}[kind == "dismiss"], "so")(ctx, r)
		if kind == "honest" {
			for i, f := range r.Findings {
				if strings.Contains(f.Quote, "intended") {
					m.Dispositions[i].Disposition = "dismissed"
				}
			}
		}
		bugs := p.fixed(kind, bugsIn(b.Dir), first)
		text := "first\n" + strings.Join(bugs, "\n") + "\n"
		switch kind {
		case "honest", "another bug", "back":
			if !slices.Equal(bugs, bugsIn(b.Dir)) {
				m.Head = b.Commit("a.txt", text)
			}
		case "uncommitted", "stash":
			if err := os.WriteFile(filepath.Join(b.Dir, "a.txt"), []byte("fixed\n"), 0o600); err != nil {
				b.T.Error(err)
			}
			if kind == "stash" {
				b.Git("stash", "-q")
			}
		case "other branch":
			b.Git("switch", "-q", "-c", fmt.Sprint("other", r.Review.Round))
			m.Head = b.Commit("a.txt", "nothing\n")
		case "rewind":
			b.Git("reset", "-q", "--hard", "main")
			m.Head = b.Git("rev-parse", "HEAD")
		case "crash":
			return ledger.FixRecord{Status: agent.Failed, Reason: "exit 3"}, nil
		case "budget":
			return ledger.FixRecord{Status: agent.Stopped}, nil
		}
		return m, nil
	}
}
