package scan

import "strings"

// HasAny reports whether s has one of some parts in it.
func HasAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
