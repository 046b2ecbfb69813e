package finding

import (
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

// What of SARIF 2.1.0 (the OASIS standard) is written and read here.
type (
	sarifLog struct {
		Schema  string     `json:"$schema,omitempty"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool                `json:"tool"`
		Invocations []sarifInvocation        `json:"invocations,omitempty"`
		Artifacts   []sarifListed            `json:"artifacts,omitempty"`
		Bases       map[string]sarifArtifact `json:"originalUriBaseIds,omitempty"`
		Results     *[]sarifResult           `json:"results"` // nil: none were looked for
		Elsewhere   *sarifElsewhere          `json:"externalPropertyFileReferences,omitempty"`
	}
	// sarifElsewhere names other files that have a part of the run.
	sarifElsewhere struct {
		Results []json.RawMessage `json:"results,omitempty"`
	}
	sarifTool struct {
		Driver     sarifComponent   `json:"driver"`
		Extensions []sarifComponent `json:"extensions,omitempty"`
	}
	sarifComponent struct {
		Name     string                  `json:"name"`
		GUID     string                  `json:"guid,omitempty"`
		Version  string                  `json:"version,omitempty"`
		URI      string                  `json:"informationUri,omitempty"`
		Rules    []sarifRule             `json:"rules,omitempty"`
		Messages map[string]sarifMessage `json:"globalMessageStrings,omitempty"`
	}
	sarifRule struct {
		ID            string                  `json:"id"`
		GUID          string                  `json:"guid,omitempty"`
		Short         *sarifMessage           `json:"shortDescription,omitempty"`
		Full          *sarifMessage           `json:"fullDescription,omitempty"`
		Help          *sarifMessage           `json:"help,omitempty"`
		Messages      map[string]sarifMessage `json:"messageStrings,omitempty"`
		Configuration *sarifSeverity          `json:"defaultConfiguration,omitempty"`
	}
	sarifSeverity struct {
		Level string `json:"level,omitempty"`
	}
	sarifInvocation struct {
		Successful    *bool               `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
		Configuration []sarifNotification `json:"toolConfigurationNotifications,omitempty"`
		Overrides     []sarifOverride     `json:"ruleConfigurationOverrides,omitempty"`
	}
	sarifOverride struct {
		Rule          sarifReference `json:"descriptor"`
		Configuration sarifSeverity  `json:"configuration"`
	}
	sarifNotification struct {
		Level     string          `json:"level,omitempty"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId,omitempty"`
		RuleIndex    *int               `json:"ruleIndex,omitempty"`
		Rule         *sarifReference    `json:"rule,omitempty"`
		Kind         string             `json:"kind,omitempty"`
		Level        string             `json:"level,omitempty"`
		Baseline     string             `json:"baselineState,omitempty"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties,omitempty"`
	}
	// sarifReference names a rule: by its index in a component's list, or by its id or guid.
	sarifReference struct {
		ID        string          `json:"id,omitempty"`
		GUID      string          `json:"guid,omitempty"`
		Index     *int            `json:"index,omitempty"`
		Component *sarifReference `json:"toolComponent,omitempty"`
		Name      string          `json:"name,omitempty"` // of a component
	}
	sarifMessage struct {
		Text      string   `json:"text,omitempty"`
		Markdown  string   `json:"markdown,omitempty"`
		ID        string   `json:"id,omitempty"`
		Arguments []string `json:"arguments,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifListed struct {
		Location sarifArtifact `json:"location"`
	}
	sarifArtifact struct {
		URI   string `json:"uri,omitempty"`
		Base  string `json:"uriBaseId,omitempty"`
		Index *int   `json:"index,omitempty"` // in the run's list of artifacts
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
	Version   string    // of this program
	Succeeded bool      // everybody who must judge did
	Errors    []string  // why somebody did not
	Note      string    // how it ended
	File      string    // a changed file, which stands for the branch in findings about no file; "" without one
	Findings  []Finding // those that are open, and as suppressed those that were dismissed
}

// Write prints it. GitHub refuses a whole file if one result has no location, so a finding
// about the branch is put at the first line of a file that the branch changed, and without
// any it is a notification.
func (s SARIF) Write(w io.Writer) error {
	results := []sarifResult{}
	run := sarifRun{Tool: sarifTool{Driver: sarifComponent{Name: programName, Version: s.Version, URI: programURL}}, Results: &results}
	ended := sarifInvocation{Successful: &s.Succeeded}
	notify := func(level, text string) {
		ended.Notifications = append(ended.Notifications, sarifNotification{Level: level, Message: sarifMessage{Text: text}})
	}
	for _, why := range s.Errors {
		notify("error", why)
	}
	notify("note", s.Note)
	named := map[string]bool{}
	for _, f := range s.Findings {
		if f.File == "" {
			f.File = s.File
		}
		if f.File == "" {
			notify("warning", message(f))
			continue
		}
		results = append(results, sarifOf(f))
		if !named[f.kind()] {
			named[f.kind()] = true
			text := &sarifMessage{Text: f.described()} // GitHub requires all three
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: f.kind(), Short: text, Full: text, Help: text})
		}
	}
	run.Invocations = []sarifInvocation{ended}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// described says in a sentence what all findings of this kind are about.
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
