package visible

import (
	"fmt"
	"regexp"
	"testing"
)

// A pattern matches like its regular expression.
func TestPatternsMatchLikeExpressions(t *testing.T) {
	const expression, text, with = `(\w)=(\d*)`, "a=1 b= c=22", "$2"
	p, re := NewPattern(expression), regexp.MustCompile(expression)
	b, upper := []byte(text), func(s string) string { return "<" + s + ">" }
	for name, pair := range map[string][2]any{
		"Match":                       {p().Match(b), re.Match(b)},
		"MatchString":                 {p().MatchString(text), re.MatchString(text)},
		"FindString":                  {p().FindString(text), re.FindString(text)},
		"FindAllString":               {p().FindAllString(text, 2), re.FindAllString(text, 2)},
		"FindStringSubmatch":          {p().FindStringSubmatch(text), re.FindStringSubmatch(text)},
		"ReplaceAllString":            {p().ReplaceAllString(text, with), re.ReplaceAllString(text, with)},
		"FindAllStringSubmatch":       {p().FindAllStringSubmatch(text, -1), re.FindAllStringSubmatch(text, -1)},
		"ReplaceAllStringFunc":        {p().ReplaceAllStringFunc(text, upper), re.ReplaceAllStringFunc(text, upper)},
		"Compiled, which is kept":     {p() == p(), true},
		"Compiled, of the expression": {p().String(), expression},
	} {
		if fmt.Sprint(pair[0]) != fmt.Sprint(pair[1]) {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
}

// An invalid expression is detected at its first use, not before.
func TestInvalidExpression(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it was used")
		}
	}()
	NewPattern("(")().MatchString("")
}
