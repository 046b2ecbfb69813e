package visible

import "testing"

// A pattern is compiled once.
func TestPatternIsKept(t *testing.T) {
	const expression = `(\w)=(\d*)`
	p := NewPattern(expression)
	if first := p(); first != p() || first.String() != expression {
		t.Errorf("it is %s", first)
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
