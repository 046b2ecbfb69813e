package attempts

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// WaitingReason is why a task does not begin while what it did waits in its clone.
const WaitingReason = "it passed its checks; the next run commits it once the tree is clean"

// What is kept and needs no session, with the message of its commit below: what passed its
// checks, and then the branch had moved or git did not commit it; and what a session said was
// done.
const (
	PassedReason   = "it passed its checks, and waited to be committed"
	FinishedReason = "its session was done, and was stopped before the commit"
)

// KilledReason is the reason of an attempt whose git plan was killed: it holds what was in the
// tree when the next command came, some of which may be the person's doing.
const KilledReason = journal.Interrupted + ": git plan was killed"

// PassedMessage returns the message with which a kept attempt was about to be committed, if it
// had passed, or its session was done.
func PassedMessage(kept git.Commit) string {
	_, body, _ := strings.Cut(kept.Message, "\n\n")
	reason, message, _ := strings.Cut(body, "\n\n")
	if reason == PassedReason || reason == FinishedReason {
		return strings.TrimSpace(message)
	}
	return ""
}

// RepairMessage is PassedMessage without its round, which may differ now.
func RepairMessage(kept git.Commit) string {
	message, _, _ := strings.Cut(PassedMessage(kept), "\n\n"+journal.ReviewTrailer+": ")
	return message
}

// Unjudged reports whether a kept attempt was stopped between the end of its session and its commit.
func Unjudged(kept git.Commit) bool {
	_, body, _ := strings.Cut(kept.Message, "\n\n")
	return strings.HasPrefix(body, FinishedReason+"\n\n")
}
