package git

import (
	"strconv"
	"strings"
)

// Oldest is the oldest git that this program works with: the first that takes settings from its environment
// (GIT_CONFIG_COUNT).
const Oldest = "2.31"

// TooOld reports whether a version such as 2.39.5 is older than Oldest.
func TooOld(version string) bool { return older(version, Oldest) }

// older reports whether a version such as 2.39.5 is older than another, by their first two
// numbers.
func older(version, than string) bool {
	a, b := twoNumbers(version), twoNumbers(than)
	return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
}

func twoNumbers(version string) (n [2]int) {
	for i, part := range strings.SplitN(version, ".", 3) {
		if i < 2 {
			n[i], _ = strconv.Atoi(strings.TrimFunc(part, func(r rune) bool { return r < '0' || r > '9' }))
		}
	}
	return n
}
