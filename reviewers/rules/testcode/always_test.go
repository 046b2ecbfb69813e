package testcode

import "testing"

func TestAConditionThatAlwaysHoldsIsNone(t *testing.T) {
	for _, line := range []string{
		"if true {", "if (true) {", "if True:", "if 1:", "if (1) return;", "if !false {", "if not False:", "if (!0) {", "if 1 == 1 {", "if 2 > 1 {",
		`if len(t.Name()) > 0 {`, `if t.Name() != "" { return }`, "if t != nil {", "if len(xs) >= 0 {", "if ('a' === 'a') return", "if x || true {", "if (true || f()) {",
	} {
		if !AlwaysHolds(line) {
			t.Errorf("%q holds always", line)
		}
	}
	for _, line := range []string{
		"if testing.Short() {", `if runtime.GOOS == "windows" {`, "if err != nil {", "if (process.env.CI) {", "if sys.platform == 'win32':", "if 1 > n {", "if false {", "if 0:",
		"if 1 == 2 {", "if 1 > 2 {", "if x && true {", "if f() == f() {", "if len(os.Args) > 0 {", "iffy(true)", "if", "else {", "if not redis:", "if (a == b || c) {", "if (", "if {",
	} {
		if AlwaysHolds(line) {
			t.Errorf("%q may not hold", line)
		}
	}
}
