package finding

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"slices"

	"github.com/git-plan/git-plan/reviewers/rules"
)

const (
	programName = "git plan"
	programURL  = "https://github.com/git-plan/git-plan"
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// The parts of SARIF 2.1.0 (the OASIS standard) that are both written and read.
type (
	sarifNotification struct {
		Level     string          `json:"level,omitempty"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId,omitempty"`
		RuleIndex    *int               `json:"ruleIndex,omitempty"`
		Rule         json.RawMessage    `json:"rule,omitempty"`
		Kind         string             `json:"kind,omitempty"`
		Level        string             `json:"level,omitempty"`
		Baseline     string             `json:"baselineState,omitempty"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI   string `json:"uri,omitempty"`
		Base  string `json:"uriBaseId,omitempty"`
		Index *int   `json:"index,omitempty"` // in a list of artifacts, which is not read
	}
	sarifRegion struct {
		StartLine int `json:"startLine,omitempty"`
		EndLine   int `json:"endLine,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status,omitempty"`
		Justification string `json:"justification,omitempty"`
	}
)

type object map[string]any

// SARIF is a review as it is printed in that form.
type SARIF struct {
	Version   string    // of this program
	Succeeded bool      // everybody who must judge did
	Errors    []string  // why somebody did not
	Note      string    // how it ended
	File      string    // a changed file, which stands for the branch in findings about no file; "" without one
	Findings  []Finding // those that are open, and as suppressed those that were dismissed
}

// Write prints it. GitHub refuses a file if one result has no location, so a finding about the branch is put at the
// first line of a changed file, and without any it is a notification.
func (s SARIF) Write(w io.Writer) error {
	results, kinds := []sarifResult{}, []object{}
	notes := []sarifNotification{}
	notify := func(level, text string) {
		notes = append(notes, sarifNotification{Level: level, Message: sarifMessage{Text: text}})
	}
	for _, why := range s.Errors {
		notify("error", why)
	}
	notify("note", s.Note)
	named := map[string]bool{}
	for _, f := range s.Findings {
		if f.File = cmp.Or(f.File, s.File); f.File == "" {
			notify("warning", message(f))
			continue
		}
		results = append(results, sarifOf(f))
		if !named[f.kind()] {
			named[f.kind()] = true
			text := sarifMessage{Text: f.described()} // GitHub requires all three
			kinds = append(kinds, object{"id": f.kind(), "shortDescription": text, "fullDescription": text, "help": text})
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{{
		"tool":        object{"driver": object{"name": programName, "version": s.Version, "informationUri": programURL, "rules": kinds}},
		"invocations": []object{{"executionSuccessful": s.Succeeded, "toolExecutionNotifications": notes}},
		"results":     results,
	}}})
}

func (f *Finding) described() string {
	for _, r := range rules.All() {
		if r.Name == f.Rule {
			return r.Why
		}
	}
	return "A reviewer calls this " + f.kind() + "."
}

func sarifOf(f Finding) sarifResult {
	r := sarifResult{
		RuleID: f.kind(), Message: sarifMessage{Text: message(f)}, Fingerprints: map[string]string{"gitPlan/v1": f.ID},
		Level:      map[Severity]string{Critical: "error", High: "error", Medium: "warning"}[f.Severity],
		Properties: map[string]any{"severity": f.Severity, "status": f.Status, "reviewers": slices.Clone(f.Reviewers)},
	}
	if r.Level == "" {
		r.Level = "note"
	}
	at := &sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: f.File}).EscapedPath()}, Region: &sarifRegion{1, 1}}
	if f.Line > 0 {
		at.Region = &sarifRegion{f.Line, f.last()}
	}
	r.Locations = []sarifLocation{{at}}
	if f.Status == Dismissed {
		r.Suppressions = []sarifSuppression{{"external", "accepted", f.Because}}
	}
	return r
}
