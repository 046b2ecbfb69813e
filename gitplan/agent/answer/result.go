package answer

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

// Object is the JSON object in which a program says how its session ended, beyond its exit code.
// Every field is optional. A command writes it to the file named by GIT_PLAN_RESULT, and need not.
type Object struct {
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

// maxObject bounds such a file, in bytes.
const maxObject = 1 << 20

// Read reads it from a file. One that is missing or empty says nothing.
func Read(file string) (Object, error) {
	var a Object
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
	b, err := io.ReadAll(io.LimitReader(f, maxObject+1))
	switch {
	case err != nil:
		return a, err
	case len(b) > maxObject:
		return a, fmt.Errorf("it is longer than %d bytes", maxObject)
	case len(bytes.TrimSpace(b)) == 0:
		return a, nil
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(b, &a); errors.As(err, &syntax) {
		return Object{}, fmt.Errorf("it is not JSON, at byte %d of `%s`", syntax.Offset, agent.OneLine(string(b), 80))
	} else if err != nil {
		return Object{}, err
	}
	return a, a.check()
}

func (a Object) check() error {
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

// Result returns what it says as the result of a session.
func (a Object) Result() agent.Result {
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
