package finding

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A reviewer's or verifier's answer contains no credential, however its JSON escapes it: the decoded text is
// shown in every format.
func TestEscapedCredentialsAreMasked(t *testing.T) {
	token := "gh" + "p_" + "a8Kd03LmQz7VxTn2" + "RbYc5WjFs9HuEg1PqOiX"
	for name, said := range map[string]string{
		"unchanged":                   token,
		"an escape":                   strings.Replace(token, "p_", `\u0070_`, 1),
		"hidden":                      token[:20] + `\u200b` + token[20:],
		"with an invisible character": token[:39] + `\u00ad` + token[39:],
	} {
		answer := fmt.Sprintf(`{"nonce": "n", "covered": ["a.txt"], "findings": [{"category": "correctness", "severity": "high", "file": "a.txt",
			"quote": "%[1]s", "title": "t %[1]s", "detail": "d %[1]s", "trigger": "r %[1]s", "remedy": "fix"}]}`, said)
		a, err := ParseAnswer(answer, Terms{Nonce: "n"})
		if err != nil {
			t.Fatal(name, err)
		}
		shown, err := json.Marshal(a)
		if err != nil || strings.Contains(string(shown), token[25:39]) || strings.Count(string(shown), "[redacted]") != 4 {
			t.Errorf("%s: %v %s", name, err, shown)
		}
	}
}
