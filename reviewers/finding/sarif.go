package finding

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

const (
	programName = "git plan"
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// What of SARIF 2.1.0 (the OASIS standard) is written and read here.
type (
	sarifLog struct {
		Schema  string     `json:"$schema,omitempty"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations,omitempty"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules,omitempty"`
	}
	sarifRule struct {
		ID            string         `json:"id"`
		Configuration *sarifSeverity `json:"defaultConfiguration,omitempty"`
	}
	sarifSeverity struct {
		Level string `json:"level,omitempty"`
	}
	sarifInvocation struct {
		Successful    *bool               `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level,omitempty"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId,omitempty"`
		Kind         string             `json:"kind,omitempty"`
		Level        string             `json:"level,omitempty"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri,omitempty"`
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

// SARIF is a review as it is printed in that form.
type SARIF struct {
	Succeeded bool      // everybody who must judge did
	Errors    []string  // why somebody did not
	Note      string    // how it ended
	Findings  []Finding // those that are open, and as suppressed those that were dismissed
}

// Write prints it.
func (s SARIF) Write(w io.Writer) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: programName}}, Results: []sarifResult{}}
	ended := sarifInvocation{Successful: &s.Succeeded}
	for _, why := range s.Errors {
		ended.Notifications = append(ended.Notifications, sarifNotification{"error", sarifMessage{why}})
	}
	ended.Notifications = append(ended.Notifications, sarifNotification{"note", sarifMessage{s.Note}})
	run.Invocations = []sarifInvocation{ended}
	named := map[string]bool{}
	for _, f := range s.Findings {
		run.Results = append(run.Results, sarifOf(f))
		if !named[f.kind()] {
			named[f.kind()] = true
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: f.kind()})
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifOf(f Finding) sarifResult {
	r := sarifResult{
		RuleID: f.kind(), Message: sarifMessage{message(f)}, Fingerprints: map[string]string{"gitPlan/v1": f.ID},
		Level:      map[Severity]string{Critical: "error", High: "error", Medium: "warning"}[f.Severity],
		Properties: map[string]any{"severity": f.Severity, "status": f.Status, "reviewers": slices.Clone(f.Reviewers)},
	}
	if r.Level == "" {
		r.Level = "note"
	}
	if f.File != "" {
		at := &sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: f.File}).EscapedPath()}}
		if f.Line > 0 {
			at.Region = &sarifRegion{f.Line, f.last()}
		}
		r.Locations = []sarifLocation{{at}}
	}
	if f.Status == Dismissed {
		r.Suppressions = []sarifSuppression{{"external", "accepted", f.Because}}
	}
	return r
}

// readSARIF reads what a linter wrote. A run that says it failed is no answer.
func readSARIF(text, nonce string) ([]Finding, error) {
	var log struct {
		sarifLog
		Nonce *string `json:"nonce"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &log); err != nil {
		return nil, fmt.Errorf("the SARIF cannot be read: %w", err)
	}
	switch {
	case log.Nonce != nil && *log.Nonce != nonce:
		return nil, errWrongNonce
	case !strings.HasPrefix(log.Version, "2.1."):
		return nil, errors.New("the SARIF is not of version 2.1.0")
	case len(log.Runs) == 0:
		return nil, errors.New("the SARIF holds no run: nothing was looked at")
	}
	var out []Finding
	for _, run := range log.Runs {
		for _, i := range run.Invocations {
			if i.Successful != nil && !*i.Successful {
				return nil, errors.New("the SARIF says that its program did not succeed")
			}
		}
		levels := run.Tool.Driver.levels()
		for _, r := range run.Results {
			f, ok := r.finding(levels)
			if !ok {
				continue
			}
			if out = append(out, f); len(out) > maxLinted {
				return nil, errTooMany
			}
		}
	}
	return out, nil
}

// levels returns the default levels of the rules, by their ids.
func (d *sarifDriver) levels() map[string]string {
	levels := map[string]string{}
	for _, rule := range d.Rules {
		if rule.Configuration != nil && levels[rule.ID] == "" {
			levels[rule.ID] = rule.Configuration.Level
		}
	}
	return levels
}

// finding returns what a result says; ok is false if it does not say that something is
// wrong.
func (r *sarifResult) finding(levels map[string]string) (Finding, bool) {
	level := cmp.Or(r.Level, levels[r.RuleID])
	if level == "none" || len(r.Suppressions) > 0 || r.Kind != "" && r.Kind != "fail" {
		return Finding{}, false
	}
	at := &sarifPhysical{} // a result may be about no file: it is reported, and cannot block
	if len(r.Locations) > 0 && r.Locations[0].Physical != nil {
		at = r.Locations[0].Physical
	}
	path := at.Artifact.URI
	if u, err := url.Parse(path); err == nil && (u.Scheme == "" || u.Scheme == "file") && u.Path != "" {
		path = u.Path
	}
	f := linted(r.Message.Text, path)
	f.Category = cmp.Or(Kebab(r.RuleID), f.Category)
	if f.Severity = map[string]Severity{"error": High, "note": Low}[level]; f.Severity == "" {
		f.Severity = Medium // the standard's default is a warning
	}
	if at.Region != nil {
		f.Line = at.Region.StartLine
	}
	return f, true
}
