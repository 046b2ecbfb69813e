package web

import (
	"context"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/transcript"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Session is what one did: its transcript, as far as this clone keeps one.
type Session struct {
	Printed string // by what failed its work, the end of it
	See     string // the command that shows all of that
	Parts   []Part
	Earlier int // parts that are not shown
	Name    string
}

// Part is one thing that it did, said or was answered.
type Part struct {
	Heading, Text string
	Long          bool // it is seen by whoever opens it
	Open          bool // it is open already
}

// sessionOf returns what a session at a step did; false if the plan knows of none.
func sessionOf(ctx context.Context, co *checkout.Checkout, step, name string) (*Session, bool) {
	its := func(e journal.Event) bool { return e.Session == name && name != "" && e.Step() == step }
	i := slices.IndexFunc(co.Doc.Events, its)
	if i < 0 {
		return nil, false
	}
	out := &Session{Name: line(name)}
	for _, e := range co.Doc.Events[i:] {
		if its(e) && e.Kind == journal.Failed {
			printed, see := transcript.SaidBy(ctx, co, e)
			out.Printed, out.See = ends(printed), line(see)
		}
	}
	f, err := transcript.Open(co, name)
	if err != nil {
		return out, true // none is kept
	}
	defer f.Close()
	failed := 0 // the last check that did, counted from 1
	_ = agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		if len(out.Parts) == mostParts {
			out.Parts, out.Earlier = slices.Delete(out.Parts, 0, 1), out.Earlier+1
		}
		out.Parts = append(out.Parts, Part{Heading: visible.OneLine(p.Heading, mostReason), Text: ends(p.Text), Long: len(p.Text) > longPart})
		if p.Exit != 0 {
			failed = len(out.Parts) + out.Earlier
		}
	})
	if at := failed - out.Earlier - 1; at >= 0 && out.Printed != "" {
		out.Parts[at].Open = true
	}
	return out, true
}
