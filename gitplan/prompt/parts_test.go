package prompt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Data is framed by a word that it cannot contain, the same each time.
func TestFrame(t *testing.T) {
	text := "# Heading\n--- end 0 ---\n"
	framed := frame(data, "output", text)
	if framed != frame(data, "output", text) || framed == frame(data, "diff", text) {
		t.Error("the same text is not framed alike")
	}
	for line := range strings.Lines(framed) {
		if !strings.HasPrefix(line, "| ") && !strings.Contains(line, FrameWord("output", strings.TrimSuffix(text, "\n"))) {
			t.Errorf("a line passes for the program's: %q", line)
		}
	}
	if FramedSize("a\nb") != len("| a\n| b") {
		t.Errorf("it takes %d bytes", FramedSize("a\nb"))
	}
}

// A text is cut to its limit, and what is missing is counted.
func TestShortened(t *testing.T) {
	text := strings.Repeat("0123456789\n", 100)
	got := Shortened(text, 200)
	if FramedSize(got) > 200 || !strings.HasPrefix(text, strings.SplitN(got, "\n[cut", 2)[0]) || !strings.HasSuffix(got, "more bytes are not shown]") {
		t.Errorf("%d bytes: %q", FramedSize(got), got)
	}
	if Shortened("a\n", 3) != "a" {
		t.Error("a text that fits is cut")
	}
}

// The project's instructions are read in order; a file that is only a pointer, or is not a regular file, adds
// none.
func TestInstructions(t *testing.T) {
	top := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := Instructions(top, MaxInstructions); got != "" {
		t.Errorf("an empty text gives %q", got)
	}
	write("AGENTS.md", "Use tabs.\n")
	write("CLAUDE.md", "@AGENTS.md\n")
	if got, _ := Instructions(top, MaxInstructions); got != "# AGENTS.md\n\nUse tabs.\n\n" {
		t.Errorf("it gives %q", got)
	}
	if err := os.MkdirAll(filepath.Join(top, ".gitplan", "rules.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("CLAUDE.md", strings.Repeat("Be brief.\n", 100))
	got, _ := Instructions(top, 100)
	if !strings.Contains(got, "more bytes are not shown]") || !strings.Contains(got, "# rules.md\n\n(.gitplan/rules.md is not a file of up to") {
		t.Errorf("it gives %q", got)
	}
	if got, _ := Instructions(filepath.Join(top, "nowhere"), MaxInstructions); got != "" {
		t.Error("a missing folder has instructions")
	}
}

// A fixer reads the findings as data; a planner the goal, and what was wrong with the last answer.
func TestOtherRoles(t *testing.T) {
	p, _ := longPlan(t, 2, 0)
	fix := Prompts{}.Fix(Fixing{Plan: p, Found: "finding one", Tried: "0123abcd tried it", Round: 2, Checks: []string{"make test"}}, Attempt{N: 1, Nonce: "n", Resumed: true}).Text()
	for _, want := range []string{"Role: fixer\n", "| finding one\n", "## What was tried before\n", "| 0123abcd tried it\n", "## Checks\n\n- make test\n", "Round: 2\nAttempt: 1\n\nDeal with each finding", Resumed} {
		if !strings.Contains(fix, want) {
			t.Errorf("a fixer does not read %q", want)
		}
	}
	ask := Planning{Goal: "Count words", Context: [][2]string{{"notes\x1b", "the text"}}, Old: p, Stuck: "step 1 is blocked", Proposed: "a session proposes", Wanted: "a person wants"}
	planner := Prompts{}.Plan(ask, "go.mod", "", "my plan", "line 3: no").Text()
	for _, want := range []string{"Role: planner\n", "## The goal\n\nCount words\n", "## Given along: notes\\u001b\n", "| the text\n", "| step 1 is blocked\n", "for you to judge\n\n--- data ", "| a session proposes\n", "person wants changed\n\n--- instructions ", "| a person wants\n", "| my plan\n", "| line 3: no\n"} {
		if !strings.Contains(planner, want) {
			t.Errorf("a planner does not read %q", want)
		}
	}
}

// The result of a planner's session decides which hint is shown.
func TestHintsAfterAFailedPlanner(t *testing.T) {
	for status, kind := range map[agent.Status]error{
		agent.Limited: fault.ErrLimited, agent.Unreachable: fault.ErrUnreachable, agent.Lost: fault.ErrLost, agent.Unauthorised: fault.ErrNoKey, agent.Stopped: fault.ErrBudget,
		agent.Cancelled: fault.ErrInterrupted, agent.Blocked: fault.ErrQuestion, agent.Failed: fault.ErrPlanner,
	} {
		err := Failed(agent.Result{Status: status, Reason: "first line\nsecond"}, &fault.Fault{Kind: fault.ErrPlanner})
		if !errors.Is(err, kind) || strings.Contains(err.Error(), "second") {
			t.Errorf("%s: %v is not %v", status, err, kind)
		}
	}
	if err := Failed(agent.Result{}, &fault.Fault{Kind: fault.ErrPlanner}); !strings.Contains(err.Error(), "ended without an answer") {
		t.Error(err)
	}
	if (Planning{}).ByHand() != "git plan new" || (Planning{Old: &plan.Plan{}}).ByHand() != "git plan edit" {
		t.Error("the hint names the wrong command")
	}
}

// Every built-in template of a plan is a plan.
func TestPlanTemplates(t *testing.T) {
	names := PlanTemplates()
	for _, name := range names {
		text, ok := PlanTemplate(name)
		if _, err := plan.Parse([]byte(text)); err != nil || !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, ok := PlanTemplate("../prompts/planner"); ok || len(names) < 2 {
		t.Errorf("the templates are %v", names)
	}
	if got := fmt.Sprint(Worded()); got != "[planner executor fixer]" {
		t.Errorf("prompts may be worded for %s", got)
	}
}
