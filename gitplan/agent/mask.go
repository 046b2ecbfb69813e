package agent

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

const masked = "[redacted]"

// Mask takes the key and whatever looks like a credential out of s. Short keys are the
// placeholders of local servers ("none", "ollama"), and words. Characters that nobody sees,
// which are taken out later, take nothing apart: if they would, they are left out.
//
// It goes by prefixes alone, and so also hides what a provider has half starred. What leaves
// a session is masked once more by the published formats of credentials: secret.Mask.
func Mask(s, key string) string {
	out, clean := maskSeen(s, key), visible.Without(s)
	if clean == s {
		return out
	}
	if all := maskSeen(clean, key); visible.Without(out) != all {
		return all
	}
	return out
}

func maskSeen(s, key string) string {
	if len(key) >= 8 {
		s = strings.ReplaceAll(s, key, masked)
	}
	for _, prefix := range []string{"sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza"} {
		s = maskPrefix(s, prefix)
	}
	return s
}

// maskPrefix hides words that begin with prefix and go on like a credential:
// at least 8 characters, with a digit or a star (providers print keys half
// starred) among them.
func maskPrefix(s, prefix string) string {
	if !strings.Contains(s, prefix) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, prefix)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := i + len(prefix)
		for end < len(s) && inToken(s[end]) {
			end++
		}
		word := s[i+len(prefix) : end]
		if (i == 0 || !inToken(s[i-1])) && len(word) >= 8 && strings.ContainsAny(word, "0123456789*") {
			b.WriteString(s[:i] + masked)
		} else {
			b.WriteString(s[:end])
		}
		s = s[end:]
	}
}

func inToken(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '*'
}
