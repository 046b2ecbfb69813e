package rules

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/secret"
	"github.com/git-plan/git-plan/testdata/drawn"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Every form of every family is found anywhere, and never printed.
func TestEverySecretFamilyIsFoundAnywhere(t *testing.T) {
	d := drawn.New(t, 1, 2)
	forms := d.Tokens
	places := map[string]string{"code": `key := "%"`, "yaml": "key: %", "json": `{"key": "%"}`, "a comment": "# %", "a shell": "export KEY=%"}
	for _, family := range slices.Sorted(maps.Keys(forms)) { // so that the same ones are drawn each time
		for _, form := range forms[family] {
			for range 2 {
				token := d.Fill(form, "")
				for tries := 0; tries < 9 && len(secret.InLine(token)) == 0; tries++ { // one in thousands looks typed
					token = d.Fill(form, "")
				}
				for place, line := range places {
					hits := Find(change(file("config.txt", "+"+strings.Replace(line, "%", token, 1))), certain())
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

func TestTokenBesideOtherLetters(t *testing.T) {
	token := "gh" + "p_" + drawn.New(t, 5, 6).Fill("{alnum:36}", "")
	for _, line := range []string{"TOKEN_" + token, "x-" + token + "_old", "?q=a%20" + token, `"\u003d` + token + `"`} {
		if hits := Find(change(file("config.txt", "+"+line)), certain()); len(hits) != 1 {
			t.Errorf("%s: %+v", line, hits)
		}
	}
}

func TestLookalikesAreNotSecrets(t *testing.T) {
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
		if hits := Find(change(file("config.txt", "+"+text)), []Rule{secrets(), credentialFiles(), credentialURLs()}); len(hits) > 0 {
			t.Errorf("%s: %+v", name, hits)
		}
	}
}

func TestMovedSecretIsNotNew(t *testing.T) {
	token := "gh" + "p_" + drawn.New(t, 5, 6).Fill("{alnum:36}", "")
	if hits := Find(change(file("a.txt", "-old: "+token), file("b.txt", "+new: "+token)), certain()); len(hits) > 0 {
		t.Errorf("Moved: %+v", hits)
	}
}

func TestPrivateKeyNeedsABody(t *testing.T) {
	body := drawn.New(t, 7, 8).Fill("{alnum:64}", "")
	begin := "-----BEGIN OPENSSH " + "PRIVATE KEY-----"
	hits := Find(change(file("key.pem", "+"+begin, "+"+body, "+"+body)), certain())
	if len(hits) != 1 || hits[0].Line != 1 || hits[0].Severity != "critical" {
		t.Errorf("hits %+v", hits)
	}
	hits = Find(change(file("testdata/key.pem", "+"+begin, "+"+body)), certain())
	if len(hits) != 1 || hits[0].Severity != "medium" {
		t.Errorf("in a fixture: %+v", hits)
	}
	for name, marked := range map[string][]string{
		"in place of a placeholder": {" " + begin, "-your key", "+" + body, "+" + body, " -----END"},
		"below an existing header":  {" " + begin, " Proc-Type: 4,ENCRYPTED", " ", "+" + body},
	} {
		if hits := Find(change(file("key.pem", marked...)), certain()); len(hits) != 1 || hits[0].Line != 1 {
			t.Errorf("%s: %+v", name, hits)
		}
	}
	if hits := Find(change(file("key.pem", " "+begin, " "+body, "+# a note", " "+body)), certain()); len(hits) != 0 {
		t.Errorf("a key that was there: %+v", hits)
	}
}

func TestCredentialFilesContainCredentials(t *testing.T) {
	secret := "+API_TOKEN=" + drawn.New(t, 9, 9).Fill("{alnum:20}", "")
	for path, want := range map[string]bool{
		".env": true, "web/.env.production": true, ".env.sample": false, "certs/site.p12": true,
		"android/debug.keystore": false, "home/.aws/credentials": true, "src/credentials.go": false,
	} {
		hits := Find(change(file(path, secret)), []Rule{credentialFiles()})
		if got := len(hits) == 1; got != want {
			t.Errorf("%s: found %v, want %v", path, got, want)
		}
	}
}

// A secret that a later commit removes is found where it was added, also in a merge, and so is one in a
// message; a push that contains the commit twice reports it once.
func TestSecretsOfTheHistory(t *testing.T) {
	d := drawn.New(t, 11, 6)
	var tokens []string
	for range 6 {
		tokens = append(tokens, "gh"+"p_"+d.Fill("{alnum:36}", ""))
	}
	dir := repository.New(t, "-b", "main")
	t.Chdir(dir)
	commit := func(name, text, message string) string {
		repository.Write(t, name, text)
		return repository.Commit(t, message)
	}
	commit("a.txt", "a\n", "first")
	added := commit("a.txt", "key: "+tokens[1]+"\n", "add")
	commit("a.txt", "a\n", "remove")
	said := commit("b.txt", "b\n", "b, with "+tokens[2])
	repository.Git(t, "", "switch", "-q", "-c", "side", "HEAD~1")
	commit("c.txt", "c\n", "c")
	repository.Git(t, "", "switch", "-q", "main")
	repository.Git(t, "", "merge", "-q", "--no-commit", "side")
	merged := commit("c.txt", "key: "+tokens[3]+"\n", "merge")
	commit("c.txt", "c\n", "remove again")

	r, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var commits []git.Commit
	for _, oid := range strings.Fields(repository.Ask(t, "rev-list", "HEAD")) {
		c, err := r.ReadCommit(t.Context(), oid)
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, c)
	}
	past := NewHistory(r)
	for range 2 {
		hits, err := past.Secrets(t.Context(), commits, nil)
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, h := range hits {
			titles = append(titles, h.Title)
		}
		all := strings.Join(titles, "\n")
		for _, oid := range []string{added, said, merged} {
			if strings.Count(all, oid[:10]) != 1 {
				t.Errorf("%s:\n%s", oid, all)
			}
		}
		if len(hits) != 3 || strings.Contains(all, tokens[1][10:]) {
			t.Errorf("hits:\n%s", all)
		}
	}
	if hits := InRef("refs/heads/" + tokens[4]); len(hits) != 1 || hits[0].Severity != "critical" {
		t.Errorf("a name: %+v", hits)
	}
	if hits := InObject("tag", added, "object "+added+"\ntagger A\n\nuse "+tokens[5]+"\n"); len(hits) != 1 || !strings.HasPrefix(hits[0].Title, "the message of tag "+added[:10]+" holds a secret: ") {
		t.Errorf("a tag: %+v", hits)
	}
	if hits := InObject("commit", added, "tree "+added+"\n\n"+strings.Join(strings.Split("use "+tokens[5]+"\n", ""), "\x00")); len(hits) != 1 {
		t.Errorf("a message in UTF-16: %+v", hits)
	}
}

// A random-looking value in the place of a password in a URL is a secret; a typed one, or one that is looked
// up at run time, is not.
func TestSecretsByTheirPlace(t *testing.T) {
	d := drawn.New(t, 12, 3)
	value := d.Fill("{alnum:24}", "")
	for line, want := range map[string]string{
		`password = "changeme"`:                         "",
		`password = os.Getenv("` + "DB_PASSWORD" + `")`: "",
		"postgres://app:" + value + "@db.shop.io/x":     "credential-url",
		"postgres://app:" + value + "@localhost/x":      "",
		"postgres://app:$PASSWORD@db.shop.io/x":         "",
		"Server=db.shop.io;Password=" + value + ";x=":   "credential-url",
	} {
		var names []string
		for _, h := range Find(change(file("app.conf", "+"+line)), []Rule{secrets(), credentialFiles(), credentialURLs()}) {
			names = append(names, h.Rule)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// A git-lfs file is uploaded with its pointer, whether that is new or changed.
func TestSecretInAFileOfGitLFS(t *testing.T) {
	token := "gh" + "p_" + drawn.New(t, 5, 6).Fill("{alnum:36}", "")
	sum := strings.Repeat("ab", 32)
	const now = "version https://git-lfs.github.com/spec/v1\noid sha256:"
	for before, pointer := range map[string]string{
		"":                                      now + sum + "\nsize 41\n",
		now + strings.Repeat("cd", 32) + "\n":   now + sum + "\nsize 41\n",
		"of an earlier version, and of Windows": "version https://hawser.github.com/spec/v1\r\noid sha256:" + sum + "\r\nsize 41\r\n",
	} {
		dir := repository.New(t, "-b", "main")
		t.Chdir(dir)
		repository.Write(t, "keys.bin", before)
		repository.Commit(t, "one")
		repository.Write(t, "keys.bin", pointer)
		repository.Commit(t, "a pointer whose file is elsewhere")
		r, err := git.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, want := range []int{0, 1} {
			_, hits, err := Of(t.Context(), r, "HEAD")
			if err != nil || len(hits) != want {
				t.Errorf("%q: %d hits, want %d: %+v, %v", before, len(hits), want, hits, err)
			}
			repository.Write(t, ".git/lfs/objects/ab/ab/"+sum, "key: "+token+"\n")
		}
	}
}
