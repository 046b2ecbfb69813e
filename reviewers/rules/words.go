package rules

import "strings"

// containsAny reports whether s has one of some parts in it.
func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
