package rules

// All is the table of rules, made for one change.
func All() []Rule {
	return []Rule{
		conflictMarkers(),
		secrets(), genericSecrets(), credentialFiles(), credentialURLs(),
		testsDeleted(), testsLeftOut(), testsSkipped(), testsFocused(), testsEmptied(), testsRemoved(), assertionsRemoved(), assertionsWeakened(),
		checksDefused(), checksAltered(), suppressions(),
		bidiControls(), invisibles(), homoglyphs(),
		debugging(), debugPrints(), elisions(), unfinished(),
		errorsSwallowed(), tlsOff(), homePaths(),
		largeFiles(), binaryFiles(), leftoverFiles(), generatedEdited(), whitespaceStorms(),
		symlinksOutside(), embeddedRepositories(), submodulesMoved(), executables(), caseCollisions(), unportableNames(),
		ciChanged(), instructionsChanged(), attributesHide(), locksAlone(), manifestsAlone(),
		unplannedFiles(), unplannedDependencies(), stepsWithoutCommit(), unknownSteps(),
		fixupCommits(), wipCommits(), messageLeftovers(),
	}
}

// Review, Guard and Gate choose rules for [Find].
func Review(Rule) bool  { return true }
func Guard(r Rule) bool { return r.Guard }
func Gate(r Rule) bool  { return r.Gate }

// Digest names the rules as they are; another set of rules has another digest. Raise the number
// when a rule finds something different under the same name, so that what the old one passed is
// judged again.
func Digest() string {
	s := "12"
	for _, r := range All() {
		s += " " + r.Name + ":" + r.Severity
		if !r.Blocks {
			s += "?"
		}
	}
	return s
}
