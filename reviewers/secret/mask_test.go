package secret

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/drawn"
)

// An invisible character does not hide a credential: it is removed later, and what is left would be the
// credential.
func TestInvisibleCharactersDoNotHideACredential(t *testing.T) {
	d := drawn.New(t, 3, 4)
	token := d.Fill("ghp_{alnum:36}", "")
	for _, hidden := range []string{"\u200b", "\u00ad", "\U000e0061", "\x1b"} {
		for _, at := range []int{2, 12, 25, len(token) - 1} {
			got := Mask("it is " + token[:at] + hidden + token[at:] + ", really")
			if got != "it is [redacted], really" {
				t.Errorf("%q at %d: %q", hidden, at, got)
			}
		}
	}
	if plain := "a fami\u200bly"; Mask(plain) != plain {
		t.Error("a text without credentials is changed")
	}
	if both := token + " \u200b"; strings.Contains(Mask(both), token) {
		t.Error(Mask(both))
	}
}

// Output is masked whatever surrounds the secret, and JSON stays valid.
func TestOutputIsMasked(t *testing.T) {
	d := drawn.New(t, 1, 2)
	token := func(form string) string { return d.Fill(form, "") }
	one, two := token("ghp_{alnum:36}"), token("npm_{alnum:36}")
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + d.Fill("{b64:64}", "") + "\n" + d.Fill("{b64:64}", "") + "\n" + d.Fill("{b64:20}", "") + "\n-----END RSA PRIVATE KEY-----"
	said := map[string]string{"text": "first\n" + one + " " + two + "\n\t" + one + "\n" + key + "\nlast"}
	text, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	for name, given := range map[string]string{"text": said["text"], "JSON": string(text)} {
		got := Mask(given)
		for _, secret := range []string{one, two, one[12:], key[40:80], key[len(key)-50 : len(key)-35]} {
			if strings.Contains(got, secret) {
				t.Errorf("%s: %s is left in %s", name, secret, got)
			}
		}
		if strings.Count(got, "[redacted]") != 4 || !strings.Contains(got, "first") || !strings.Contains(got, "last") {
			t.Errorf("%s: %s", name, got)
		}
		if name == "JSON" && !json.Valid([]byte(got)) {
			t.Errorf("no longer JSON: %s", got)
		}
	}
	for _, plain := range []string{"", "tokens begin with gh" + "p_", "-----BEGIN RSA " + "PRIVATE KEY----- is how it begins", "AK" + "IA" + "IOSFODNN7EXAMPLE"} {
		if got := Mask(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}
