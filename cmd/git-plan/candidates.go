package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// candidateFlags are those of several plans for one goal.
func candidateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "candidates", Usage: "have `N` planners write a plan each, compare them, and choose one"},
		&cli.StringSliceFlag{Name: "model", Usage: "have `MODEL` plan: a model, an agent, or AGENT/MODEL; repeated, each writes a candidate"},
		&cli.StringFlag{Name: "pick", Usage: "choose candidate `N` without asking, or best"},
	}
}

// candidatesWanted returns how many plans the flags ask for: 0 for one that is not compared.
func candidatesWanted(c *cli.Context) (int, error) {
	n := len(c.StringSlice("model"))
	if c.IsSet("candidates") {
		var err error
		if n, err = strconv.Atoi(c.String("candidates")); err != nil || n < 2 || n > planner.MaxCandidates {
			return 0, misused(c, "--candidates is a number from 2 to %d", planner.MaxCandidates)
		}
	} else if n < 2 && !c.IsSet("pick") {
		return 0, nil
	}
	pick, err := strconv.Atoi(c.String("pick"))
	switch {
	case n < 2:
		return 0, misused(c, "--pick chooses among --candidates")
	case c.IsSet("pick") && c.String("pick") != "best" && (err != nil || pick < 1 || pick > n):
		return 0, misused(c, "--pick is best, or a number from 1 to %d", n)
	case !c.IsSet("pick") && !terminal.Attended():
		return 0, misused(c, "nobody is there to choose a candidate: add --pick best")
	case c.Bool("ask"):
		return 0, misused(c, "--ask and --candidates exclude each other")
	}
	return n, nil
}

// fromCandidates has several planners write a plan each, and a person choose.
func fromCandidates(c *cli.Context, co *checkout.Checkout, base, goal string, n int) error {
	p, err := planning(c, co, base, goal)
	if err != nil {
		return err
	}
	shown := newShow(c, co)
	defer shown.end()
	all := &planner.Candidates{Worker: shown.worker(co, nil), Planning: p, Who: c.StringSlice("model")}
	began := time.Now()
	list, err := makeCandidates(c, all, n)
	shown.end()
	if err != nil {
		return err
	}
	tellCandidates(c, list)
	chosen, ok := choose(c, list)
	if !ok {
		say(c.App.ErrWriter, "nothing is stored; the same command goes on with these plans")
		return &ended{code: exitPerson}
	}
	e := all.Telling(journal.Event{By: journal.ByAgent, Took: time.Since(began)})
	o := origin{text: []byte(chosen.Text), event: e, goal: goal, stored: func() error {
		if len(list) > 1 {
			say(c.App.ErrWriter, "the others stay: git plan show --candidate N; to take one of them instead: git plan show --candidate N | git plan new --force -F -")
		}
		return all.Chosen(c.Context, list, chosen.N)
	}}
	return store(c, co, base, o)
}

// makeCandidates makes the plans one after the other: what a session changes outside of its place
// could not be said of one of several. One that fails is reported, as long as others do not.
func makeCandidates(c *cli.Context, all *planner.Candidates, n int) (list []planner.Candidate, last error) {
	for k := 1; k <= n; k++ {
		made, err := all.Make(c.Context, k)
		if c.Context.Err() != nil {
			return nil, err
		}
		if err != nil {
			last = err
			say(c.App.ErrWriter, "candidate %d: %s", k, visible.Line(visible.FirstLine(err.Error())))
			continue
		}
		if made.Again {
			say(c.App.ErrWriter, "candidate %d was written before", k)
		}
		list = append(list, made)
	}
	if len(list) > 0 {
		return list, nil
	}
	return nil, last
}

// tellCandidates shows plans side by side: what speaks against each, and what only it names.
func tellCandidates(c *cli.Context, list []planner.Candidate) {
	best := planner.Best(list)
	say(c.App.ErrWriter, "  plan  against  weak  missed  steps  in a row  at once  title")
	for _, o := range list {
		mark, s := " ", o.Score
		if o.N == best.N {
			mark = "*"
		}
		title := visible.OneLine(o.Plan.Title, 60)
		if o.Who != "" {
			title += " (" + visible.OneLine(o.Who, 60) + ")"
		}
		say(c.App.ErrWriter, "%s %4d  %7d  %4d  %6s  %5d  %8d  %7d  %s", mark, o.N, s.Points(), s.Weak, fmt.Sprintf("%d/%d", s.Uncovered, s.Required), s.Steps, s.Deep, s.Wide, visible.Line(title))
	}
	for _, o := range list {
		var steps []string
		for _, s := range o.Plan.Steps {
			steps = append(steps, visible.OneLine(s.Title, 60))
		}
		say(c.App.ErrWriter, "%d: %s", o.N, visible.Line(strings.Join(steps, "; ")))
		files, commands := o.Own(list)
		for _, more := range []struct {
			what string
			list []string
		}{{"files", files}, {"commands", commands}} {
			if len(more.list) > 0 {
				say(c.App.ErrWriter, "   only here, %s: %s", more.what, visible.Line(strings.Join(more.list, ", ")))
			}
		}
	}
}

// choose returns the candidate that the flags or a person choose; false if nobody does.
func choose(c *cli.Context, list []planner.Candidate) (planner.Candidate, bool) {
	best := planner.Best(list)
	numbered := func(word string) (planner.Candidate, bool) {
		n, _ := strconv.Atoi(word)
		i := slices.IndexFunc(list, func(o planner.Candidate) bool { return o.N == n })
		if i < 0 {
			return planner.Candidate{}, false
		}
		return list[i], true
	}
	switch pick := c.String("pick"); pick {
	case "":
	case "best":
		return best, true
	default:
		return numbered(pick)
	}
	for {
		fmt.Fprintf(c.App.ErrWriter, "Which plan? (Enter: %d): ", best.N)
		line, err := terminal.ReadLine(c.Context)
		if err != nil {
			say(c.App.ErrWriter, "")
			return planner.Candidate{}, false
		}
		if line == "" {
			return best, true
		}
		if o, ok := numbered(line); ok {
			return o, true
		}
		say(c.App.ErrWriter, "there is no plan %s; answer with the number of one", visible.Line(line))
	}
}
