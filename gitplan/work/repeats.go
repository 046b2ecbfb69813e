package work

import "github.com/git-plan/git-plan/gitplan/pattern"

// repeats reports whether an attempt failed as the one before it did.
func (a *Attempt) repeats() bool {
	return a.before != "" && fingerprint(a.out.Reason) == fingerprint(a.before)
}

// hopeless reports whether another attempt would end the same way: this one failed like the one
// before it, and was already asked for another way, or somebody else can change the plan, or it is a
// file for which no session gives a reason: a person may have changed that.
func (a *Attempt) hopeless() bool {
	return a.repeats() && (a.t.NoRepeat || a.try.AnotherWay || len(a.unexplained) > 0)
}

// varying matches what differs between two runs of the same command: how long it took, the line
// of a file, addresses and temporary folders. Other numbers say what failed, or how much.
var varying = pattern.Of(`\b[0-9.]+ ?(?:[mnµ]?s|min|h)\b|\(cached\)|:[0-9]+|0x[0-9a-f]+|/tmp/[^\s:]+`)

// fingerprint is the same for two failures that differ only in that. It covers the whole output:
// the last line of many test runners says only that something failed.
func fingerprint(reason string) string {
	return varying.ReplaceAllString(reason, "0")
}
