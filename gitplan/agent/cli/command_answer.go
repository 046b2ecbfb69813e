package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// commandAnswer is what a command, or an agent that is driven as one, can say
// beyond its exit code. A command writes it to the file named by
// GIT_PLAN_RESULT; it need not, and every field is optional.
type commandAnswer struct {
	Nonce        string              `json:"nonce"`
	Status       agent.Status        `json:"status"` // done, blocked or failed; empty is done
	Subject      string              `json:"subject"`
	Summary      string              `json:"summary"`
	Question     string              `json:"question"`
	Questions    []agent.Question    `json:"questions"`
	Handoff      agent.Handoff       `json:"handoff"`
	Proposal     string              `json:"proposal"`
	Tokens       agent.Tokens        `json:"tokens"`
	Amendments   []agent.Amendment   `json:"amendments"`
	Assumed      string              `json:"assumed"`
	Drift        []agent.Drift       `json:"drift"`
	Dispositions []agent.Disposition `json:"dispositions"`
}

// maxCommandAnswer bounds the file, in bytes.
const maxCommandAnswer = 1 << 20

// readCommandAnswer reads the file. One that is missing or empty says nothing.
func readCommandAnswer(file string) (commandAnswer, error) {
	var a commandAnswer
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return a, nil
	case err != nil:
		return a, err
	case !info.Mode().IsRegular():
		return a, errors.New("it is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return a, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxCommandAnswer+1))
	switch {
	case err != nil:
		return a, err
	case len(b) > maxCommandAnswer:
		return a, fmt.Errorf("it is longer than %d bytes", maxCommandAnswer)
	case len(bytes.TrimSpace(b)) == 0:
		return a, nil
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(b, &a); errors.As(err, &syntax) {
		return commandAnswer{}, fmt.Errorf("it is not JSON, at byte %d of `%s`", syntax.Offset, agent.OneLine(string(b), 80))
	} else if err != nil {
		return commandAnswer{}, err
	}
	return a, a.check()
}

func (a commandAnswer) check() error {
	switch a.Status {
	case "", agent.Done, agent.Failed:
		return nil
	case agent.Blocked:
		if strings.TrimSpace(a.Question) == "" && len(a.Questions) == 0 {
			return errors.New("blocked needs a question")
		}
		return nil
	}
	return fmt.Errorf("status must be done, blocked or failed, not %q", agent.OneLine(string(a.Status), 40))
}

func (a commandAnswer) result() agent.Result {
	r := agent.Result{Status: a.Status, Question: a.Question, Questions: a.Questions, Subject: a.Subject, Summary: a.Summary, Proposal: agent.Proposed(a.Amendments, a.Proposal), Assumed: a.Assumed,
		Handoff: a.Handoff, Drift: a.Drift, Dispositions: a.Dispositions, Tokens: a.Tokens}.Tidy()
	r.Status = cmp.Or(r.Status, agent.Done)
	if r.Question == "" && len(r.Questions) > 0 {
		r.Question = r.Questions[0].Text
	}
	if r.Status != agent.Done {
		r.Reason = a.Summary
		r.Reason = cmp.Or(r.Reason, r.Question)
		r.Reason = cmp.Or(r.Reason, "the command says that it failed, and not why")
	}
	return r
}
