package form

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/race"
	"github.com/git-plan/git-plan/testdata/texts"
)

// roundTrips exports a plan in every format and imports it again, and describes the differences; empty if it
// means the same.
func roundTrips(src []byte) string {
	for _, kind := range []Form{Own, JSON, Ralphex, Queue} {
		out, err := Export(src, kind)
		if err != nil {
			return string(kind) + ": " + err.Error()
		}
		in, err := importFiles(kind, out.Files)
		if err != nil {
			return string(kind) + ": " + err.Error() + "\n" + string(out.Files[0].Text)
		}
		if kind == Own && !bytes.Equal(plan.Meaning(in.Text), plan.Meaning(src)) {
			return "md: another digest"
		}
		if diff := cmp.Diff(carried(src, kind), carried(in.Text, kind)); diff != "" {
			return string(kind) + ": " + diff
		}
		if kind == Ralphex && len(out.Notes) > 0 {
			continue
		}
		if diff := cmp.Diff(done(src), done(in.Text), cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			return string(kind) + ": does something else: " + diff
		}
	}
	return ""
}

// deeds is everything that a plan makes the program do, apart from free text for a session.
type deeds struct {
	Steps                               []plan.Step
	Checks, Verification, Prerequisites []string
}

func done(src []byte) deeds {
	p, err := plan.Parse(src)
	if err != nil {
		return deeds{}
	}
	out := deeds{Checks: plan.Commands(p.Checks), Verification: plan.Commands(p.Verification), Prerequisites: plan.Commands(p.Prerequisites)}
	for _, s := range p.Steps {
		s.Title = strings.Join(strings.Fields(s.Title), " ")
		s.Text, s.Do, s.Line, s.Doubt, s.At = "", "", 0, false, plan.Places{}
		s.Checks = slices.Clone(s.Checks)
		for i := range s.Checks {
			s.Checks[i].Line = 0
		}
		out.Steps = append(out.Steps, s)
	}
	return out
}

func importFiles(kind Form, files []File) (*Imported, error) {
	if kind != Queue {
		return Import("", files[0].Text, "")
	}
	above, err := os.MkdirTemp("", "git-plan-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(above)
	dir := filepath.Join(above, "queue")
	if err := os.MkdirAll(filepath.Join(dir, "tasks"), 0o700); err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o600); err != nil {
			return nil, err
		}
	}
	in, err := ImportFrom(dir, nil, "")
	if errors.Is(err, fault.ErrForm) {
		err = fault.New(fault.ErrForm, "%s", strings.ReplaceAll(err.Error(), above+string(filepath.Separator), ""))
	}
	return in, err
}

// carried returns a plan without the parts that a format cannot express, as Export documents.
func carried(src []byte, kind Form) string {
	p, err := plan.Parse(src)
	if err != nil {
		return err.Error()
	}
	d := draftOf(p)
	d.complete()
	switch kind {
	case Ralphex:
		for i := range d.sections {
			if s := &d.sections[i]; s.level == 2 && plan.SectionMeaning(s.title) == "checks" {
				s.title = "Checks"
			}
		}
		for _, s := range d.steps {
			s.body, _ = flat(s.body, 3)
			if s.done {
				tick(s.body)
			}
		}
	case Queue:
		var rules lines
		var others []draftSection
		for _, s := range d.sections {
			if s.is("rules") {
				rules = joinLines(rules, s.body)
			} else if !s.steps {
				others = append(others, s)
			}
		}
		d.sections = slices.Insert(others, 0, draftSection{level: 2, title: "Rules", body: rules}, theSteps)
	}
	return d.write().String()
}

func TestExportKeepsTheMeaning(t *testing.T) {
	race.Skip(t)
	all := texts.Plans(t)
	for _, c := range texts.Tricky {
		all = append(all, []byte(c.Text))
	}
	all = append(all, []byte("# T\n\n## Context\nc\n\n## Overview\nWhat it is for.\n\n- a\n\n"+texts.Steps("- [ ] a\n")[len("# T\n"):]),
		[]byte("# T\n\n## Goal:\ng\n\n## Steps\n- [ ] a\n\n## Overview\no\n"), []byte("# T\n\ng\n\n## Goal\ng\n\n## Steps\n- [ ] a\n"))
	all = append(all, []byte("# Plan: T\n\n## Steps\n- [ ] a\n"))
	all = append(all, []byte("\ufeff 00\n-\n00\n=\n## Steps\n- [ ] a"), []byte("\ufeff\n-\n00\n=\n## Steps\n- [ ] a"))
	all = append(all, []byte("[ \"\n# T\n## Steps\n- [ ] a"), []byte(texts.Steps("* [X] a\n  - Status: blocked - b\n-\n  c")))
	for _, goesOn := range []string{"<b>", "2. two", "*", "    code", "==="} { // below a title they are its text
		all = append(all, []byte(texts.Steps("- [ ] a\n  "+goesOn+"\n  - Run: `r`\n")), []byte(texts.Steps("- [ ] a\n"+goesOn+"\n  - Run: `r`\n")))
	}
	for _, text := range all {
		if _, err := plan.Parse(text); err != nil {
			continue
		}
		if diff := roundTrips(text); diff != "" {
			t.Errorf("%s\nof %q", diff, text)
		}
	}
}

// Every plan survives every format; see Export for what a format cannot express.
func TestRandomPlansRoundTrip(t *testing.T) {
	race.Skip(t)
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		text := []byte(texts.Random(random))
		if _, err := plan.Parse(text); err != nil {
			continue
		}
		if diff := roundTrips(text); diff != "" {
			t.Errorf("%s\nof %q", diff, text)
		}
	}
}
