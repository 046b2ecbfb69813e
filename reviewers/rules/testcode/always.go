package testcode

import (
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// AlwaysHolds reports whether a line begins an if whose condition is always true, as far as its
// text shows: a constant, a comparison of something with itself or of two numbers, or a property
// that every test has. Such a condition decides nothing.
func AlwaysHolds(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "if")
	if !ok || rest == "" || !strings.ContainsAny(rest[:1], " (!") {
		return false
	}
	return holds(conditionOf(strings.TrimSpace(rest)))
}

// conditionOf returns the condition between an if and what it decides.
func conditionOf(rest string) string {
	if !strings.HasPrefix(rest, "(") {
		if i := strings.LastIndex(rest, " {"); strings.HasSuffix(rest, "{") && i >= 0 {
			return rest[:i]
		}
		return rest[:(strings.IndexAny(rest+"{", "{:"))]
	}
	depth := 0
	for i, r := range rest {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return rest[1:i]
			}
		}
	}
	return strings.Trim(rest, "() ")
}

var (
	constant   = pattern.Of(`^(?:true|True|1|!+\s*(?:false|0)|!!\s*1|not (?:False|0|None)|(?:t|self) (?:!=|is not) (?:nil|None)|len\((?:t|b|f)\.Name\(\)\) (?:> 0|!= 0|>= 1)|(?:t|b|f)\.Name\(\) != ""|len\([\w.]+\) >= 0|[\w.]+\.length >= 0)$`)
	comparison = pattern.Of(`^(.+?)\s*(===?|<=|>=|!==?|<|>)\s*(.+)$`)
)

// holds reports whether a condition is always true.
func holds(condition string) bool {
	c := strings.TrimSpace(condition)
	for _, or := range []string{" || ", " or "} {
		for part := range strings.SplitSeq(c, or) {
			if constant.MatchString(strings.TrimSpace(part)) && !strings.ContainsAny(c, "&") && !strings.Contains(c, " and ") {
				return true
			}
		}
	}
	m := comparison.FindStringSubmatch(c)
	if m == nil || strings.ContainsAny(c, "&|") {
		return false
	}
	a, errA := strconv.Atoi(m[1])
	b, errB := strconv.Atoi(m[3])
	same := m[1] == m[3] && !strings.Contains(m[1], "(") // what a call returns may differ
	switch m[2] {
	case "==", "===":
		return same
	case "<=", ">=":
		return same || errA == nil && errB == nil && a != b && (a < b) == (m[2] == "<=")
	case "<":
		return errA == nil && errB == nil && a < b
	case ">":
		return errA == nil && errB == nil && a > b
	}
	return errA == nil && errB == nil && a != b // != and !==
}
