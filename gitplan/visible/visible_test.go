package visible

import (
	"os/exec"
	"strings"
	"testing"
)

// hide is ASCII as tag letters.
func hide(s string) string {
	return strings.Map(func(r rune) rune { return 0xe0000 + r }, s)
}

// Ordinary text in any script is printed byte for byte.
func TestTextStays(t *testing.T) {
	for _, s := range []string{
		"", "plain ASCII, with\ttabs\nand lines\r\n", "Größe, façade, naïve, “quotes” – dashes … and\u00a0a fixed blank",
		"می\u200cخواهم", "خانه\u200cها", "مَ\u200cن", "क्\u200dष", "हिन्दी में क्\u200cष", "ශ්\u200dරී ලංකා", "মাল্\u200cটা", "ക്\u200d",
		"👩\u200d👩\u200d👧\u200d👦", "👩🏽\u200d🚀", "🏳\ufe0f\u200d🌈", "❤\ufe0f\u200d🔥", "👁\ufe0f\u200d🗨\ufe0f", "🧔🏿\u200d♂\ufe0f", "1\ufe0f\u20e3 #\ufe0f\u20e3", "⚠\ufe0f ✔\ufe0e ™\ufe0f ℹ\ufe0f ↔\ufe0f ‼\ufe0f",
		"🇩🇪", "葛\U000e0100城市、葛\U000e0100城", "❤\ufe0f 葛\U000e0100 ✔\ufe0e", "辻\ufe00", "∩\ufe00", "ᠪ\u180b",
		"日本語、한국어, עברית, العربية, ไทย, Ελληνικά, кириллица", "⠋⠙⠹ ✓ → ≠ ␣ │", "\u0600١٢",
	} {
		if got := Text(s); got != s {
			t.Errorf("Text(%+q) = %+q", s, got)
		}
		if !All(s) || Describe(s) != "" || Without(s) != s {
			t.Errorf("%+q is taken to hide %s", s, Describe(s))
		}
	}
}

// Invisible characters are escaped, wherever they are.
func TestHiddenIsShown(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[31mb\x07\x7f":                `a\u001b[31mb\u0007\u007f`,
		"a\rb":                              `a\u000db`,
		"a\u0085b\u009bc":                   `a\u0085b\u009bc`,
		"rm\u202e fr":                       `rm\u202e fr`,
		"\u2066\u2069\u200e\u200f\u061c":    `\u2066\u2069\u200e\u200f\u061c`,
		"a\u200bb\u2060c\ufeffd\u00ade":     `a\u200bb\u2060c\ufeffd\u00ade`,
		"\u115f\u1160\u3164\uffa0\u2800":    `\u115f\u1160\u3164\uffa0\u2800`,
		"a\u2028b\u2029":                    `a\u2028b\u2029`,
		"a\u180eb\u034fc\u17b4":             `a\u180eb\u034fc\u17b4`,
		"x" + hide("hi"):                    `x\U000e0068\U000e0069`,
		"🏴" + hide("usca") + "\U000e007f":   `🏴\U000e0075\U000e0073\U000e0063\U000e0061\U000e007f`,
		"ภาษา\u200bไทย":                     `ภาษา\u200bไทย`,
		"a\ufe0fb":                          `a\ufe0fb`,
		"1\ufe0f":                           `1\ufe0f`,
		"😀\ufe0f\ufe00\ufe01":               "😀\ufe0f" + `\ufe00\ufe01`,
		"葛\U000e0100\U000e0101":             "葛\U000e0100" + `\U000e0101`,
		"葛\U000e0100城\U000e0155市\U000e0165": "葛\U000e0100城" + `\U000e0155` + "市" + `\U000e0165`,
		"葛\U000e0100と、城と\U000e0155":         "葛\U000e0100と、城と" + `\U000e0155`,
		"д\U000e0155":                       "д" + `\U000e0155`,
		"😀\U000e0155":                       "😀" + `\U000e0155`,
		"é\U000e0141":                       `é\U000e0141`,
		"a\u200db\u200cc":                   `a\u200db\u200cc`,
		"می\u200c\u200cخ":                   "می\u200c" + `\u200cخ`,
		"\ue000\U000f0000\ufdd0\ufffe":      `\ue000\U000f0000\ufdd0\ufffe`,
		"\ufff5\U000e0fff\U000e0001\u206a!": `\ufff5\U000e0fff\U000e0001\u206a!`,
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%+q) = %+q, not %+q", in, got, want)
		}
		if All(in) || Describe(in) == "" {
			t.Errorf("%+q is taken to hide nothing", in)
		}
		if got := Without(in); Text(got) != got {
			t.Errorf("Without(%+q) still hides something: %+q", in, got)
		}
	}
	if got := Line("a\tb\r\nc\xff"); got != "a b  c\ufffd" {
		t.Errorf("Line: %q", got)
	}
}

func TestDescribe(t *testing.T) {
	for in, want := range map[string]string{
		"a\u202eb\u202ec\u200b" + hide("x"): "U+202E, U+200B, U+E0078",
		"\x01\x02\x03\x04\x05\x06":          "U+0001, U+0002, U+0003, U+0004, U+0005, more",
	} {
		if got := Describe(in); got != want {
			t.Errorf("Describe(%+q) = %s", in, got)
		}
	}
}

// Long runs of spaces are counted, short ones stay.
func TestBlanks(t *testing.T) {
	wide := strings.Repeat(" ", 79)
	for in, want := range map[string]string{
		"a" + wide + "b":                           "a" + wide + "b",
		"a" + wide + " b" + wide + "\t":            "a[80 blanks]b[80 blanks]",
		strings.Repeat(" ", 3000) + "rm -rf x\nok": "[3000 blanks]rm -rf x\nok",
		"a" + strings.Repeat("\u3000", 90) + "b":   "a[90 blanks]b",
		"a\n\n  \n\r\nb\n\n":                       "a\n\n  \n\r\nb\n\n",
		"a\n" + strings.Repeat(" \n", 20) + "b":    "a\n[20 blank lines]\nb",
		strings.Repeat("\n", 400):                  "[400 blank lines]\n",
		"":                                         "",
	} {
		if got := Blanks(in); got != want {
			t.Errorf("Blanks(%.60q) = %q", in, got)
		}
	}
}

// A quoted word is one word of the shell, with the same meaning.
func TestShell(t *testing.T) {
	for in, want := range map[string]string{
		"plan/add-login": "plan/add-login", "@scope/x": "@scope/x", "größe/日本": "größe/日本", "v1.2+3": "v1.2+3",
		"f;touch${IFS}pwn`id`": "'f;touch${IFS}pwn`id`'", "it's": `'it'\''s'`, "": "''", "a b": "'a b'", "=ls": "'=ls'", "~x": "'~x'",
		"a\u202eb'": `$'a\342\200\256b\''`, "a\nb\\": `$'a\012b\\'`, "a\xffb": `$'a\377b'`, "a{b,c}": "'a{b,c}'", "x!y": "'x!y'", "-a": "-a",
	} {
		got := Shell(in)
		if got != want {
			t.Errorf("Shell(%q) = %s, not %s", in, got, want)
		}
		if Line(got) != got {
			t.Errorf("Shell(%q) = %q hides something", in, got)
		}
		bash, err := exec.LookPath("bash")
		if err != nil || strings.HasPrefix(in, "-") {
			continue
		}
		if out, err := exec.Command(bash, "-c", "printf %s "+got).Output(); err != nil || string(out) != in {
			t.Errorf("bash takes %s for %q (%v)", got, out, err)
		}
	}
}

func TestCount(t *testing.T) {
	if one, none := Count(1, "round"), Count(0, "round"); one != "1 round" || none != "0 rounds" {
		t.Error(one, none)
	}
}
