package rules

// All is the table of rules, made for one change.
func All() []Rule {
	return []Rule{
		conflictMarkers(), secrets(), credentialFiles(), credentialURLs(),
		testsDeleted(), testsLeftOut(), testsSkipped(), testsFocused(), testsEmptied(), testsRemoved(), assertionsRemoved(), assertionsWeakened(),
		checksAltered(), suppressions(), hiddenText(), elisions(),
		symlinksOutside(), embeddedRepositories(), automationChanged(),
		unplannedDependencies(), fixupCommits(),
	}
}

// Review, Guard and Gate return the rules of the places that they serve, made for one change.
func Review() []Rule { return All() }
func Guard() []Rule  { return Those(func(r Rule) bool { return r.Guard }) }
func Gate() []Rule   { return Those(func(r Rule) bool { return r.Gate }) }

func Those(chosen func(Rule) bool) (out []Rule) {
	for _, r := range All() {
		if chosen(r) {
			out = append(out, r)
		}
	}
	return out
}

// Digest identifies the set of rules. Raise the number when a rule finds something different under the same
// name, so that what passed before is judged again.
func Digest() string {
	s := "18"
	for _, r := range All() {
		s += " " + r.Name + ":" + r.Severity
		if !r.Blocks {
			s += "?"
		}
	}
	return s
}
