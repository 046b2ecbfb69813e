package rules

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/secret"
	"github.com/git-plan/git-plan/testdata/drawn"
)

// Every form of every family is found wherever it is, and never repeated.
func TestEverySecretFamilyIsFoundWhereverItStands(t *testing.T) {
	d := drawn.New(t, 1, 2)
	forms := d.Tokens
	places := map[string]string{"code": `key := "%"`, "yaml": "key: %", "json": `{"key": "%"}`, "a comment": "# %", "a shell": "export KEY=%"}
	for _, family := range slices.Sorted(maps.Keys(forms)) { // so that the same are drawn each time
		for _, form := range forms[family] {
			for range 2 {
				token := d.Fill(form, "")
				for tries := 0; tries < 9 && len(secret.InLine(token)) == 0; tries++ { // one in thousands looks typed
					token = d.Fill(form, "")
				}
				for place, line := range places {
					hits := scan.Find(change(file("config.txt", "+"+strings.Replace(line, "%", token, 1))), Gate())
					if !slices.ContainsFunc(hits, func(h scan.Hit) bool { return strings.HasPrefix(h.Title, family+" (") }) {
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

func TestWhatOnlyLooksLikeASecretIsLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"AWS's own example": "AK" + "IA" + "IOSFODNN7EXAMPLE",
		"a row of x":        "gh" + "p_" + strings.Repeat("x", 36),
		"a sequence":        "np" + "m_" + "abcdefghijklmnopqrstuvwxyz0123456789",
		"little entropy":    "sk" + "_live_" + strings.Repeat("ab", 12),
		"a description":     "tokens begin with gh" + "p_ and have 36 characters",
		"a pattern":         "gh" + `p_[A-Za-z0-9]{36}`,
		"a test key":        "sk" + "_test_" + drawn.New(t, 3, 4).Fill("{alnum:24}", ""),
		"inside a word":     "x" + "AK" + "IA" + drawn.New(t, 3, 4).Fill("{b32:16}", ""),
		"too long":          "AK" + "IA" + drawn.New(t, 3, 4).Fill("{b32:20}", ""),
		"a variable":        "aws_secret_access_key = os.environ['AWS_SECRET_ACCESS_KEY_OF_THIS_ACCOUNT']",
	} {
		if hits := scan.Find(change(file("config.txt", "+"+text)), Review()); len(hits) > 0 {
			t.Errorf("%s: %+v", name, hits)
		}
	}
}

func TestASecretThatOnlyMovedIsNotNew(t *testing.T) {
	token := "gh" + "p_" + drawn.New(t, 5, 6).Fill("{alnum:36}", "")
	if hits := scan.Find(change(file("a.txt", "-old: "+token), file("b.txt", "+new: "+token)), Gate()); len(hits) > 0 {
		t.Errorf("Moved: %+v", hits)
	}
}

func TestAPrivateKeyNeedsABody(t *testing.T) {
	body := drawn.New(t, 7, 8).Fill("{alnum:64}", "")
	begin := "-----BEGIN OPENSSH " + "PRIVATE KEY-----"
	hits := scan.Find(change(file("key.pem", "+"+begin, "+"+body, "+"+body)), Gate())
	if len(hits) != 1 || hits[0].Line != 1 || hits[0].Severity != "critical" {
		t.Errorf("hits %+v", hits)
	}
	hits = scan.Find(change(file("testdata/key.pem", "+"+begin, "+"+body)), Gate())
	if len(hits) != 1 || hits[0].Severity != "medium" {
		t.Errorf("in a fixture: %+v", hits)
	}
}

func TestCredentialFilesHoldCredentials(t *testing.T) {
	secret := "+API_TOKEN=" + drawn.New(t, 9, 9).Fill("{alnum:20}", "")
	for path, want := range map[string]bool{
		".env": true, "web/.env.production": true, ".env.sample": false, "certs/site.p12": true,
		"android/debug.keystore": false, "home/.aws/credentials": true, "src/credentials.go": false,
	} {
		hits := scan.Find(change(file(path, secret)), Those(func(r scan.Rule) bool { return r.Name == "credential-file" }))
		if got := len(hits) == 1; got != want {
			t.Errorf("%s: found %v, want %v", path, got, want)
		}
	}
}
