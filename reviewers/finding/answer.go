package finding

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// The limits of an answer. A larger one is rejected, not cut.
const (
	maxAnswer   = 4 << 20 // in bytes
	maxFindings = 200
)

// Answer is a reviewer's answer, checked and bounded.
type Answer struct {
	Covered  []string // the paths that the reviewer claims to have judged
	Findings []Finding
}

// Terms are the requirements for an answer.
type Terms struct {
	Nonce string // the nonce of the round
	// Lenient accepts an answer of a program without nonce or covered; a wrong nonce is never accepted.
	Lenient bool
}

// ParseAnswer reads an answer: one JSON object, bare or fenced, at the end of text. The error is for the reviewer.
func ParseAnswer(text string, terms Terms) (*Answer, error) {
	var raw struct {
		Covered  []string          `json:"covered"`
		Findings []json.RawMessage `json:"findings"`
	}
	if err := readObject(text, terms, &raw); err != nil {
		return nil, err
	}
	a := &Answer{}
	for _, p := range raw.Covered {
		if p = strings.TrimPrefix(p, "./"); InRepository(p) {
			a.Covered = append(a.Covered, p)
		}
	}
	switch {
	case len(a.Covered) == 0 && !terms.Lenient:
		return nil, errors.New(`"covered" is missing or empty: name the paths that you judged`)
	case raw.Findings == nil:
		return nil, errors.New(`"findings" is missing: give [] where there is nothing to say`)
	case len(raw.Findings) > maxFindings:
		return nil, fmt.Errorf("more than %d findings: give the most harmful", maxFindings)
	}
	for i, r := range raw.Findings {
		f, err := parseFinding(r)
		if err != nil {
			return nil, fmt.Errorf("findings[%d]: %w", i, err)
		}
		a.Findings = append(a.Findings, f)
	}
	return a, nil
}

func parseFinding(raw json.RawMessage) (Finding, error) {
	var in struct {
		Category, Severity, File, Title, Detail, Trigger, Remedy string
		Quote                                                    *string
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return Finding{}, fmt.Errorf("not a finding: %w", err)
	}
	if in.Quote == nil { // "" is valid: the finding is about the whole file
		return Finding{}, errors.New(`"quote" is missing`)
	}
	f := Finding{
		Category: Kebab(in.Category), Severity: Severity(strings.ToLower(strings.TrimSpace(in.Severity))),
		File: strings.TrimPrefix(strings.TrimSpace(in.File), "./"), Quote: Block(*in.Quote, MaxQuote),
		Title: Line(in.Title, MaxTitle), Detail: Block(in.Detail, MaxText), Trigger: Block(in.Trigger, MaxText),
		Remedy: strings.ToLower(strings.TrimSpace(in.Remedy)), Status: Open,
	}
	switch {
	case !slices.Contains(ranks[:], f.Severity):
		return Finding{}, errors.New(`"severity" is not critical, high, medium or low`)
	case !slices.Contains([]string{"fix", "ask", "none"}, f.Remedy):
		return Finding{}, errors.New(`"remedy" is not fix, ask or none`)
	case !InRepository(f.File):
		return Finding{}, errors.New(`"file" is missing, or not a path inside the repository`)
	case f.Title == "" || f.Category == "":
		return Finding{}, errors.New(`"title" and "category" need words`)
	}
	return f, nil
}

// readObject finds the JSON object in a text, checks its nonce and decodes it. Two answers are an error.
func readObject(text string, terms Terms, into any) error {
	if len(text) > maxAnswer {
		return fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
	}
	if !utf8.ValidString(text) {
		return errors.New("the answer is not valid UTF-8")
	}
	object, before := agent.LastObject(text)
	if at := strings.IndexByte(text, '{'); object == nil && at >= 0 {
		return fmt.Errorf("the answer does not end with JSON: %w", json.Unmarshal([]byte(text[at:]), into))
	}
	var head struct {
		Nonce *string `json:"nonce"`
	}
	err := json.Unmarshal(object, &head)
	if err == nil {
		err = json.Unmarshal(object, into)
	}
	switch {
	case object == nil:
		return errors.New("there is no JSON object in the answer")
	case err != nil:
		return fmt.Errorf("the answer is not the JSON that was asked for: %w", err)
	case head.Nonce == nil && !terms.Lenient:
		return errors.New(`"nonce" is missing`)
	case head.Nonce != nil && *head.Nonce != terms.Nonce:
		return errors.New(`"nonce" is not the one of this round`)
	case terms.Nonce != "" && strings.Contains(before, `"`+terms.Nonce+`"`):
		return errors.New("there is more than one answer")
	}
	return nil
}

// Judged returns the covered files among those that the reviewer was shown, sorted. It is an error if there are none.
func (a *Answer) Judged(shown []string) ([]string, error) {
	covered := map[string]bool{}
	for _, path := range a.Covered {
		covered[path] = true
	}
	out := slices.DeleteFunc(slices.Clone(shown), func(path string) bool { return !covered[path] })
	if len(out) == 0 {
		return nil, errors.New(`"covered" names no file of the change that you were shown`)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// ParseVerification reads a verifier's judgements, one for each finding, by ID. The error is for the verifier.
func ParseVerification(text, nonce string, findings []Finding) (map[string]Judgement, error) {
	var raw struct {
		Answers []struct{ ID, Answer, Because, Quote string } `json:"answers"`
	}
	if err := readObject(text, Terms{Nonce: nonce}, &raw); err != nil {
		return nil, err
	}
	judged := map[string]Judgement{}
	for i, a := range raw.Answers {
		answer := Status(strings.ToLower(strings.TrimSpace(a.Answer)))
		if !slices.Contains([]Status{Confirmed, Plausible, Refuted}, answer) {
			return nil, fmt.Errorf(`answers[%d]: "answer" is not confirmed, plausible or refuted`, i)
		}
		if old, twice := judged[a.ID]; twice && old.Answer != answer {
			return nil, fmt.Errorf("answers[%d]: there are two answers for this finding", i)
		}
		judged[a.ID] = Judgement{Answer: answer, Because: Line(a.Because, MaxText), Quote: Block(a.Quote, MaxQuote)}
	}
	for _, f := range findings {
		if _, ok := judged[f.ID]; !ok {
			return nil, fmt.Errorf("there is no answer for finding %s", f.ID)
		}
	}
	return judged, nil
}
