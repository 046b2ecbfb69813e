package finding

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const good = `{"nonce": "n1", "covered": ["a.go"], "findings": [{"category": "Correctness", "severity": "high", "file": "a.go", "quote": "x := 1", "title": "wrong", "remedy": "fix", "extra": 1}]}`

func TestAnswerIsReadWithOrWithoutAFence(t *testing.T) {
	for name, text := range map[string]string{
		"bare":                 good,
		"after prose":          "I read the code.\n\n" + good + "\n",
		"in a fence":           "Here it is:\n```json\n" + good + "\n```\n",
		"after another object": "```go\nx := 1\n```\n" + good,
		"after other JSON":     `{"a": 1}` + "\n" + good,
		"over several lines":   strings.ReplaceAll(good, ", ", ",\n  "),
		"with a byte order":    "\ufeff" + good,
		"with CRLF line ends":  strings.ReplaceAll(good, ", ", ",\r\n") + "\r\n",
	} {
		a, err := ParseAnswer(text, Terms{Nonce: "n1"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := &Answer{Covered: []string{"a.go"}, Findings: []Finding{{
			Category: "correctness", Severity: High, File: "a.go", Quote: "x := 1", Title: "wrong", Remedy: "fix", Status: Open,
		}}}
		if diff := cmp.Diff(want, a); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// malformed are invalid answers, whatever their author meant.
func malformed(nonce string) map[string]string {
	ok := strings.ReplaceAll(good, "n1", nonce)
	finding := ok[strings.Index(ok, "[{")+1 : strings.LastIndex(ok, "]")]
	with := func(findings string) string {
		return `{"nonce": "` + nonce + `", "covered": ["a.go"], "findings": [` + findings + `]}`
	}
	return map[string]string{
		"nothing":                         "",
		"blanks":                          " \n\t\n",
		"prose":                           "No issues found. LGTM!",
		"an HTML page":                    "<html><body>502 Bad Gateway</body></html>",
		"Markdown":                        "## Review\n- all good\n",
		"an empty object":                 "{}",
		"an array":                        "[" + ok + "]",
		"null":                            "null",
		"cut off":                         ok[:len(ok)-10],
		"prose after it":                  ok + "\nThat is all.",
		"two answers":                     ok + "\n" + ok,
		"two fenced answers":              "```json\n" + ok + "\n```\n```json\n" + with("") + "\n```",
		"no nonce":                        `{"covered": ["a.go"], "findings": []}`,
		"a wrong nonce":                   `{"nonce": "other", "covered": ["a.go"], "findings": []}`,
		"an empty nonce":                  `{"nonce": "", "covered": ["a.go"], "findings": []}`,
		"no covered":                      `{"nonce": "` + nonce + `", "findings": []}`,
		"covers nothing":                  `{"nonce": "` + nonce + `", "covered": [], "findings": []}`,
		"covers only outside":             `{"nonce": "` + nonce + `", "covered": ["/etc/passwd", "../x", ".git/config"], "findings": []}`,
		"covered is a text":               `{"nonce": "` + nonce + `", "covered": "a.go", "findings": []}`,
		"no findings":                     `{"nonce": "` + nonce + `", "covered": ["a.go"]}`,
		"findings is null":                `{"nonce": "` + nonce + `", "covered": ["a.go"], "findings": null}`,
		"findings is a text":              `{"nonce": "` + nonce + `", "covered": ["a.go"], "findings": "none"}`,
		"a finding is a text":             with(`"bad"`),
		"a finding is null":               with(`null`),
		"no severity":                     with(strings.Replace(finding, `"severity": "high", `, "", 1)),
		"an unknown severity":             with(strings.Replace(finding, "high", "blocker", 1)),
		"an unknown remedy":               with(strings.Replace(finding, `"fix"`, `"pray"`, 1)),
		"no quote":                        with(strings.Replace(finding, `"quote": "x := 1", `, "", 1)),
		"no title":                        with(strings.Replace(finding, `"wrong"`, `"\u0007"`, 1)),
		"an absolute path":                with(strings.Replace(finding, `"file": "a.go"`, `"file": "/etc/passwd"`, 1)),
		"a path out of the tree":          with(strings.Replace(finding, `"file": "a.go"`, `"file": "../a.go"`, 1)),
		"a path out of the tree and back": with(strings.Replace(finding, `"file": "a.go"`, `"file": "a/../../b"`, 1)),
		"a path with a NUL":               with(strings.Replace(finding, `"file": "a.go"`, `"file": "a\u0000.go"`, 1)),
		"git's own folder":                with(strings.Replace(finding, `"file": "a.go"`, `"file": ".git/hooks/x"`, 1)),
		"too many findings":               with(strings.TrimSuffix(strings.Repeat(finding+",", maxFindings+1), ",")),
		"too large":                       strings.Repeat(" ", maxAnswer) + ok,
		"not UTF-8":                       "\xff\n" + ok,
		"a bomb of open braces":           strings.Repeat("{\"a\":\n", 100_000),
	}
}

func TestMalformedAnswersAreRefused(t *testing.T) {
	for name, text := range malformed("n1") {
		if a, err := ParseAnswer(text, Terms{Nonce: "n1"}); err == nil {
			t.Errorf("%s: read as %+v", name, a)
		}
	}
}

func TestNonceOfAProgramIsOptionalButMustMatch(t *testing.T) {
	terms := Terms{Nonce: "n1", Lenient: true}
	if _, err := ParseAnswer(`{"findings": []}`, terms); err != nil {
		t.Error(err)
	}
	if _, err := ParseAnswer(`{"nonce": "n0", "findings": []}`, terms); err == nil {
		t.Error("an answer to another round was taken")
	}
}

func TestTextsAreSafeForATerminalAndBounded(t *testing.T) {
	long := strings.Repeat("ä", MaxTitle)
	text := `{"nonce": "n1", "covered": ["a.go"], "findings": [{"category": "A \u001b[31m B", "severity": "LOW", "file": "a.go", "quote": "x\r\ny",
"title": "one\ntwo \u001b]0;x\u0007` + long + `", "detail": "a\u202eb\u0000c\nd", "remedy": "Ask"}]}`
	a, err := ParseAnswer(text, Terms{Nonce: "n1"})
	if err != nil {
		t.Fatal(err)
	}
	f := a.Findings[0]
	if f.Category != "a-31m-b" || f.Detail != "abc\nd" || f.Quote != "x\ny" || !strings.HasPrefix(f.Title, "one two ]0;xä") || len(f.Title) > MaxTitle {
		t.Errorf("%+v", f)
	}
}

// Only what a reviewer was shown counts as reviewed, and having reviewed none of it is not a review.
func TestOnlyShownFilesCountAsReviewed(t *testing.T) {
	a := &Answer{Covered: []string{"b.go", "a.go", "elsewhere.go"}}
	if got, err := a.Judged([]string{"b.go", "a.go", "b.go", "c.go"}); err != nil || strings.Join(got, " ") != "a.go b.go" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := a.Judged([]string{"c.go"}); err == nil {
		t.Errorf("%q", got)
	}
}

// A verifier answers for each finding, once, with one of three words.
func TestVerifierAnswersForEachFinding(t *testing.T) {
	findings := []Finding{{ID: "1"}, {ID: "2"}}
	answers := func(list string) string { return `{"nonce": "n", "answers": [` + list + `]}` }
	const first = `{"id": "1", "answer": "Refuted", "because": "a\nb", "quote": "x"}`
	got, err := ParseVerification(answers(first+`, {"id": "2", "answer": "confirmed"}, {"id": "9", "answer": "plausible"}`), "n", findings)
	if err != nil || got["1"] != (Judgement{Answer: Refuted, Because: "a b", Quote: "x"}) || got["2"].Answer != Confirmed {
		t.Errorf("%+v, %v", got, err)
	}
	for name, text := range map[string]string{
		"prose": "all confirmed", "no answers": `{"nonce": "n"}`, "another nonce": `{"nonce": "m", "answers": []}`,
		"one is missing": answers(first), "no id": answers(first + `, {"answer": "confirmed"}`),
		"an unknown word": answers(first + `, {"id": "2", "answer": "maybe"}`), "two answers for one": answers(first + `, {"id": "1", "answer": "confirmed"}, {"id": "2", "answer": "confirmed"}`),
	} {
		if got, err := ParseVerification(text, "n", findings); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
