package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// candidateFlags are the flags for several plans for one goal.
func candidateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "candidates", Usage: "have `N` planners write a plan each, compare them, and choose one"},
		&cli.StringSliceFlag{Name: "model", Usage: "have `MODEL` plan: a model, an agent, or AGENT/MODEL; repeated, each writes a candidate"},
		&cli.StringSliceFlag{Name: "temperature", Usage: "plan at temperature `T`, from 0 to 2; repeated, each is a candidate's"},
		&cli.StringFlag{Name: "pick", Usage: "choose candidate `N` without asking, or best"},
	}
}

// candidatesWanted returns how many plans the flags ask for: 0 for a single one, which is not
// compared.
func candidatesWanted(c *cli.Context) (int, error) {
	n := max(len(c.StringSlice("model")), len(c.StringSlice("temperature")))
	if _, err := temperatures(c); err != nil {
		return 0, err
	}
	if c.IsSet("candidates") {
		var err error
		if n, err = strconv.Atoi(c.String("candidates")); err != nil || n < 2 || n > planner.MaxCandidates {
			return 0, misused(c, "--candidates must be a number from 2 to %d", planner.MaxCandidates)
		}
	} else if n < 2 && !c.IsSet("pick") {
		return 0, nil
	}
	pick, err := strconv.Atoi(c.String("pick"))
	switch {
	case n < 2:
		return 0, misused(c, "--pick chooses among --candidates")
	case c.IsSet("pick") && c.String("pick") != "best" && (err != nil || pick < 1 || pick > n):
		return 0, misused(c, "--pick must be best, or a number from 1 to %d", n)
	case !c.IsSet("pick") && !terminal.Attended():
		return 0, misused(c, "nobody is there to choose a candidate: add --pick best")
	case c.Bool("ask"):
		return 0, misused(c, "--ask and --candidates cannot be used together")
	}
	return n, nil
}

// temperatures returns the values of --temperature.
func temperatures(c *cli.Context) (out []float64, err error) {
	for _, word := range c.StringSlice("temperature") {
		t, err := settings.ParseTemperature(word)
		if err != nil {
			return nil, misused(c, "%v", err)
		}
		out = append(out, t)
	}
	return out, nil
}

// fromCandidates has several planners write a plan each, and a person choose.
func fromCandidates(c *cli.Context, co *checkout.Checkout, base, goal string, n int) error {
	p, err := planning(c, co, base, goal)
	if err != nil {
		return err
	}
	shown := newShow(c, co)
	defer shown.end()
	at, err := temperatures(c)
	if err != nil {
		return err
	}
	all := &planner.Candidates{Worker: shown.worker(co, nil), Planning: p, Who: c.StringSlice("model"), At: at}
	began := time.Now()
	var list []planner.Candidate
	err = asRun(c, all.Worker, agent.Planner, func() (err error) {
		list, err = makeCandidates(c, all, n)
		return err
	})
	shown.end()
	if err != nil {
		return err
	}
	if err := views.Candidates(c.App.ErrWriter, terminal.Width(os.Stderr), list); err != nil {
		return err
	}
	chosen, ok := choose(c, list)
	if !ok {
		why := ""
		if pick := c.String("pick"); pick != "" {
			why = "there is no plan " + pick + " to choose: "
		}
		say(c.App.ErrWriter, "%snothing is stored, and the same command goes on with these plans", why)
		return &exit.Ended{Code: exit.Person}
	}
	e := all.WithSessions(journal.Event{By: journal.ByAgent, Took: time.Since(began)})
	o := origin{text: []byte(chosen.Text), event: e, goal: goal, stored: func() error {
		if len(list) > 1 {
			say(c.App.ErrWriter, "the others stay until this plan is dropped: git plan show --candidate N; to take one of them instead: git plan show --candidate N | git plan new --force -F -")
		}
		return all.Chosen(c.Context, list, chosen.N)
	}}
	return store(c, co, base, o)
}

// makeCandidates makes the plans. If one fails that is reported, and an error only if all do.
func makeCandidates(c *cli.Context, all *planner.Candidates, n int) ([]planner.Candidate, error) {
	var last error
	list, err := all.Make(c.Context, n, func(made planner.Candidate, err error) {
		switch {
		case c.Context.Err() != nil:
		case err != nil:
			last = err
			say(c.App.ErrWriter, "candidate %d: %s", made.N, visible.Line(visible.FirstLine(err.Error())))
		case made.Again:
			say(c.App.ErrWriter, "candidate %d was written before", made.N)
		}
	})
	if err == nil && len(list) == 0 {
		err = last
	}
	return list, err
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
