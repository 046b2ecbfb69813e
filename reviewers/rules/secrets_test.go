package rules

import (
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	digits = "0123456789"
	hexa   = digits + "abcdef"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum  = digits + lower + upper
	base32 = upper + "234567"
)

// drawn is a text as an issuer would draw it; tokens are made when the tests
// run, so that this repository never holds one.
func drawn(r *rand.Rand, set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

// tokens makes one value of each family.
func tokens(r *rand.Rand) map[string]string {
	d := func(set string, n int) string { return drawn(r, set, n) }
	return map[string]string{
		"AWS access key":             "AK" + "IA" + d(base32, 16),
		"AWS secret key":             "aws_secret_access_key = " + d(alnum, 40),
		"Google API key":             "AI" + "za" + d(alnum, 35),
		"Google OAuth client secret": "GOC" + "SPX-" + d(alnum, 28),
		"Azure storage key":          "Account" + "Key=" + d(alnum, 86) + "==",
		"Azure client secret":        d(alnum, 3) + "8Q" + "~" + d(alnum, 34),
		"GitHub token":               "gh" + "p_" + d(alnum, 36),
		"GitHub fine-grained token":  "github" + "_pat_" + d(alnum, 22) + "_" + d(alnum, 59),
		"GitLab token":               "gl" + "pat-" + d(alnum, 20),
		"Slack token":                "xo" + "xb-" + d("123456789", 12) + "-" + d(alnum, 24),
		"Slack app token":            "xa" + "pp-1-" + d(upper, 11) + "-" + d("123456789", 13) + "-" + d(hexa, 64),
		"Slack webhook":              "https://hooks.slack" + ".com/services/T" + d(upper, 8) + "/B" + d(upper, 8) + "/" + d(alnum, 24),
		"Stripe live key":            "sk" + "_live_" + d(alnum, 24),
		"Stripe webhook secret":      "wh" + "sec_" + d(alnum, 32),
		"Twilio auth token":          "TWILIO_AUTH_TOKEN=" + d(hexa, 32),
		"SendGrid key":               "S" + "G." + d(alnum, 22) + "." + d(alnum, 43),
		"Mailgun key":                "ke" + "y-" + d(hexa, 32),
		"npm token":                  "np" + "m_" + d(alnum, 36),
		"PyPI token":                 "py" + "pi-AgEI" + d(alnum, 60),
		"RubyGems key":               "ruby" + "gems_" + d(hexa, 48),
		"crates.io token":            "ci" + "o" + d(alnum, 32),
		"Docker Hub token":           "dckr" + "_pat_" + d(alnum, 27),
		"Hugging Face token":         "h" + "f_" + d(alnum, 34),
		"OpenAI key":                 "s" + "k-proj-" + d(alnum, 48),
		"Anthropic key":              "s" + "k-ant-api03-" + d(alnum, 95),
		"Telegram bot token":         d("123456789", 10) + ":A" + "A" + d(alnum, 33),
		"Discord webhook":            "https://discord" + ".com/api/webhooks/" + d("123456789", 18) + "/" + d(alnum, 68),
		"Shopify token":              "shp" + "at_" + d(hexa, 32),
		"Square token":               "sq0" + "atp-" + d(alnum, 22),
		"DigitalOcean token":         "dop" + "_v1_" + d(hexa, 64),
		"New Relic key":              "NR" + "AK-" + d(upper+digits, 27),
		"Terraform Cloud token":      d(alnum, 14) + ".atlas" + "v1." + d(alnum, 67),
		"Vault token":                "hv" + "s." + d(alnum, 24),
		"Databricks token":           "da" + "pi" + d(hexa, 32),
		"Grafana token":              "gl" + "sa_" + d(alnum, 32) + "_" + d(hexa, 8),
		"Linear key":                 "lin" + "_api_" + d(alnum, 40),
		"Postman key":                "PM" + "AK-" + d(hexa, 24) + "-" + d(hexa, 34),
		"age secret key":             "AGE-SECRET" + "-KEY-1" + d("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
		"private key":                "-----BEGIN RSA " + "PRIVATE KEY-----" + d(alnum, 64),
	}
}

func TestEverySecretFamilyIsFoundWhereverItStands(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	if n := len(tokens(r)); n != len(families)+1 {
		t.Errorf("%d families are tried, %d are known", n-1, len(families))
	}
	places := map[string]string{"code": `key := "%"`, "yaml": "key: %", "json": `{"key": "%"}`, "a comment": "# %", "a shell": "export KEY=%"}
	for range 20 {
		for family, token := range tokens(r) {
			for place, form := range places {
				hits := Find(change(file("config.txt", "+"+strings.Replace(form, "%", token, 1))), Gate)
				if len(hits) == 0 {
					t.Errorf("%s in %s is not found (length %d)", family, place, len(token))
					continue
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

func TestWhatOnlyLooksLikeASecretIsLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"AWS's own example": "AK" + "IA" + "IOSFODNN7EXAMPLE",
		"a row of x":        "gh" + "p_" + strings.Repeat("x", 36),
		"a sequence":        "np" + "m_" + "abcdefghijklmnopqrstuvwxyz0123456789",
		"little entropy":    "sk" + "_live_" + strings.Repeat("ab", 12),
		"a description":     "tokens begin with gh" + "p_ and have 36 characters",
		"a pattern":         "gh" + `p_[A-Za-z0-9]{36}`,
		"a test key":        "sk" + "_test_" + drawn(rand.New(rand.NewPCG(3, 4)), alnum, 24),
		"inside a word":     "x" + "AK" + "IA" + drawn(rand.New(rand.NewPCG(3, 4)), base32, 16),
		"too long":          "AK" + "IA" + drawn(rand.New(rand.NewPCG(3, 4)), base32, 20),
		"a variable":        "aws_secret_access_key = os.environ['AWS_SECRET_ACCESS_KEY_OF_THIS_ACCOUNT']",
	} {
		if hits := Find(change(file("config.txt", "+"+text)), Review); len(hits) > 0 {
			t.Errorf("%s: %+v", name, hits)
		}
	}
}

func TestASecretThatOnlyMovedIsNotNew(t *testing.T) {
	token := tokens(rand.New(rand.NewPCG(5, 6)))["GitHub token"]
	if hits := Find(change(file("a.txt", "-old: "+token), file("b.txt", "+new: "+token)), Gate); len(hits) > 0 {
		t.Errorf("moved: %+v", hits)
	}
}

func TestAPrivateKeyNeedsABody(t *testing.T) {
	body := drawn(rand.New(rand.NewPCG(7, 8)), alnum, 64)
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
	secret := "+API_TOKEN=" + drawn(rand.New(rand.NewPCG(9, 9)), alnum, 20)
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
