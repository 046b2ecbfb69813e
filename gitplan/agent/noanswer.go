package agent

import "strings"

// NoAnswer returns the result of a session that ended without an answer that can be used, and
// why. What it did say is in its transcript.
func NoAnswer(format string, args ...any) Result {
	return Fail(silent+": "+format, args...)
}

const silent = "gave no answer"

// IsNoAnswer reports whether a session failed for that reason.
func IsNoAnswer(reason string) bool { return strings.HasPrefix(reason, silent+": ") }

// WhyNoAnswer returns such a reason without saying that there was no answer, for whoever has said so.
func WhyNoAnswer(reason string) string { return strings.TrimPrefix(reason, silent+": ") }
