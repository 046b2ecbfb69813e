package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// drawn is a text as an issuer would draw it; tokens are made when the tests
// run, so that this repository never holds one.
func drawn(r *rand.Rand, set string, n int) string {
	d := drawer{Rand: r}
	return d.fill(fmt.Sprintf("{%s:%d}", set, n), "")
}

// Every form of every family is found wherever it is, and never repeated.
func TestEverySecretFamilyIsFoundWhereverItStands(t *testing.T) {
	d := &drawer{Rand: rand.New(rand.NewPCG(1, 2))}
	forms := readTokens(t)
	for _, f := range families() {
		if len(forms[f.name]) == 0 && !f.spans {
			t.Errorf("tokens.txt does not say what a %s looks like", f.name)
		}
	}
	places := map[string]string{"code": `key := "%"`, "yaml": "key: %", "json": `{"key": "%"}`, "a comment": "# %", "a shell": "export KEY=%"}
	for _, family := range slices.Sorted(maps.Keys(forms)) { // so that the same are drawn each time
		for _, form := range forms[family] {
			for range 2 {
				token := d.fill(form, "")
				for looksTyped(token) {
					token = d.fill(form, "")
				}
				for place, line := range places {
					hits := Find(change(file("config.txt", "+"+strings.Replace(line, "%", token, 1))), Gate)
					if !slices.ContainsFunc(hits, func(h Hit) bool { return strings.HasPrefix(h.Title, family+" (") }) {
						t.Errorf("%s in %s is not found (%s): %v", family, place, form, hits)
					}
					for _, h := range hits {
						if strings.Contains(h.Title+h.Quote+h.Why, token[len(token)/2:]) {
							t.Errorf("%s: the hit repeats the secret", family)
						}
					}
				}
			}
		}
	}
}

// looksTyped reports whether a token was drawn, as one in thousands is, so that it looks
// as if a person had made it up.
func looksTyped(token string) bool {
	return slices.ContainsFunc(families(), func(f family) bool {
		if f.spans {
			return false
		}
		m := f.pattern.FindStringSubmatch(token)
		return m != nil && placeholder(m[len(m)-1], f.secretPart(m[len(m)-1]))
	})
}

// What an issuer draws is hardly ever taken for an example.
func TestFewDrawnTokensLookTyped(t *testing.T) {
	d := &drawer{Rand: rand.New(rand.NewPCG(1, 2))}
	forms := readTokens(t)
	typed, all := 0, 0
	for i := range families() {
		f := &families()[i]
		for _, form := range forms[f.name] {
			for range 400 {
				m := f.pattern.FindStringSubmatch(d.fill(form, ""))
				if all++; m != nil && placeholder(m[len(m)-1], f.secretPart(m[len(m)-1])) {
					typed++
				}
			}
		}
	}
	if typed*20000 > all {
		t.Errorf("%d of %d", typed, all)
	}
}

// What is said is masked whatever stands around the secret, and JSON stays JSON.
func TestWhatIsSaidIsMasked(t *testing.T) {
	d := &drawer{Rand: rand.New(rand.NewPCG(1, 2))}
	token := func(form string) string { return d.fill(form, "") }
	one, two := token("ghp_{alnum:36}"), token("npm_{alnum:36}")
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + drawn(d.Rand, "b64", 64) + "\n" + drawn(d.Rand, "b64", 64) + "\n" + drawn(d.Rand, "b64", 20) + "\n-----END RSA PRIVATE KEY-----"
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

func TestWhatOnlyLooksLikeASecretIsLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"AWS's own example": "AK" + "IA" + "IOSFODNN7EXAMPLE",
		"a row of x":        "gh" + "p_" + strings.Repeat("x", 36),
		"a sequence":        "np" + "m_" + "abcdefghijklmnopqrstuvwxyz0123456789",
		"little entropy":    "sk" + "_live_" + strings.Repeat("ab", 12),
		"a description":     "tokens begin with gh" + "p_ and have 36 characters",
		"a pattern":         "gh" + `p_[A-Za-z0-9]{36}`,
		"a test key":        "sk" + "_test_" + drawn(rand.New(rand.NewPCG(3, 4)), "alnum", 24),
		"inside a word":     "x" + "AK" + "IA" + drawn(rand.New(rand.NewPCG(3, 4)), "b32", 16),
		"too long":          "AK" + "IA" + drawn(rand.New(rand.NewPCG(3, 4)), "b32", 20),
		"a variable":        "aws_secret_access_key = os.environ['AWS_SECRET_ACCESS_KEY_OF_THIS_ACCOUNT']",
	} {
		if hits := Find(change(file("config.txt", "+"+text)), Review); len(hits) > 0 {
			t.Errorf("%s: %+v", name, hits)
		}
	}
}

func TestASecretThatOnlyMovedIsNotNew(t *testing.T) {
	token := "gh" + "p_" + drawn(rand.New(rand.NewPCG(5, 6)), "alnum", 36)
	if hits := Find(change(file("a.txt", "-old: "+token), file("b.txt", "+new: "+token)), Gate); len(hits) > 0 {
		t.Errorf("moved: %+v", hits)
	}
}

func TestAPrivateKeyNeedsABody(t *testing.T) {
	body := drawn(rand.New(rand.NewPCG(7, 8)), "alnum", 64)
	begin := "-----BEGIN OPENSSH " + "PRIVATE KEY-----"
	hits := Find(change(file("key.pem", "+"+begin, "+"+body, "+"+body)), Gate)
	if len(hits) != 1 || hits[0].Line != 1 || hits[0].Severity != "critical" {
		t.Errorf("hits %+v", hits)
	}
	hits = Find(change(file("testdata/key.pem", "+"+begin, "+"+body)), Gate)
	if len(hits) != 1 || hits[0].Severity != "medium" {
		t.Errorf("in a fixture: %+v", hits)
	}
}

func TestCredentialFilesHoldCredentials(t *testing.T) {
	secret := "+API_TOKEN=" + drawn(rand.New(rand.NewPCG(9, 9)), "alnum", 20)
	for path, want := range map[string]bool{
		".env": true, "web/.env.production": true, ".env.sample": false, "certs/site.p12": true,
		"android/debug.keystore": false, "home/.aws/credentials": true, "src/credentials.go": false,
	} {
		hits := Find(change(file(path, secret)), func(r Rule) bool { return r.Name == "credential-file" })
		if got := len(hits) == 1; got != want {
			t.Errorf("%s: found %v, want %v", path, got, want)
		}
	}
}
