package work

import (
	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// repeats reports whether an attempt failed as the one before it did.
func (a *Attempt) repeats() bool {
	return a.try.Failure != "" && fingerprint(a.out.Reason) == fingerprint(a.try.Failure)
}

// hopeless reports whether another attempt would end the same: this one failed as the one before
// it, and was asked for another way already, or somebody else can change the plan.
func (a *Attempt) hopeless() bool {
	return a.repeats() && (a.t.NoRepeat || a.try.AnotherWay)
}

// varying is what differs between two runs of the same: how long it took, and addresses.
var varying = pattern.Of(`[0-9.]+ ?(?:[mnµ]?s|min|h)\b|0x[0-9a-f]+`)

// fingerprint is the same for two failures that differ only in that.
func fingerprint(reason string) string {
	return varying.ReplaceAllString(visible.FirstLine(reason), "0")
}
