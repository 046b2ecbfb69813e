// Package drawn makes random texts for tests: names, numbers, and tokens in the formats that their issuers
// document. They are made when the tests run, so that this repository never contains one.
package drawn

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Drawer replaces $word and {set:n} by random text.
type Drawer struct {
	*rand.Rand
	Tokens map[string][]string // the forms of each family of tokens, see Forms
}

// New returns a drawer with the same texts for the same seeds.
func New(t testing.TB, one, two uint64) *Drawer {
	return &Drawer{rand.New(rand.NewPCG(one, two)), Forms(t)}
}

var (
	nouns = strings.Fields("cart user order invoice token parser cache router session ledger widget basket queue index mailer report budget profile gateway worker layout cursor stream filter packet region schema tariff vector window")
	verbs = strings.Fields("loads saves renders parses counts merges sorts sends keeps drops opens closes finds rejects accepts rounds splits joins waits retries")
	sets  = map[string]string{
		"alnum": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "hex": "0123456789abcdef", "HEX": "0123456789ABCDEF",
		"upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "UPNUM": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "lownum": "abcdefghijklmnopqrstuvwxyz0123456789",
		"digit": "0123456789", "lead": "123456789", "b64": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/",
		"url": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", "b32": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
	}
	placeholders = visible.NewPattern(`\$(?:name|Name|NAME|word|verb|num)\b|\$[nN](?:ame|AME)|\{(?:[a-zA-Z0-9]+:\d+|U\+[0-9A-F]+|token|uuid)\}`)
)

// Pick returns a random element.
func (d *Drawer) Pick(list []string) string { return list[d.IntN(len(list))] }

// Fill replaces the placeholders of a seed: $name is the same everywhere in one case.
func (d *Drawer) Fill(text, name string) string {
	return placeholders().ReplaceAllStringFunc(text, func(p string) string {
		switch p {
		case "$name":
			return name
		case "$Name":
			return strings.ToUpper(name[:1]) + name[1:]
		case "$NAME":
			return strings.ToUpper(name)
		case "$word":
			return d.Pick(nouns)
		case "$verb":
			return d.Pick(verbs)
		case "$num":
			return strconv.Itoa(d.IntN(9000) + 10)
		case "{token}":
			return d.token()
		case "{uuid}":
			return d.Fill("{hex:8}-{hex:4}-4{hex:3}-a{hex:3}-{hex:12}", name)
		}
		what, n, ok := strings.Cut(strings.Trim(p, "{}"), ":")
		if code, isCode := strings.CutPrefix(what, "U+"); isCode {
			r, _ := strconv.ParseUint(code, 16, 32)
			return string(rune(r))
		}
		set := sets[what]
		count, _ := strconv.Atoi(n)
		if !ok || set == "" {
			panic("corpus: " + p)
		}
		b := make([]byte, count)
		for i := range b {
			b[i] = set[d.IntN(len(set))]
		}
		return string(b)
	})
}

// token returns a secret of any family, in its issuer's format.
func (d *Drawer) token() string {
	return d.Fill(d.Pick(d.Tokens[d.Pick(slices.Sorted(maps.Keys(d.Tokens)))]), "x")
}

// Forms reads testdata/rules/tokens.txt: "family | form".
func Forms(t testing.TB) map[string][]string {
	t.Helper()
	forms := map[string][]string{}
	for _, l := range strings.Split(repository.Read(t, repository.Testdata(t, "rules/tokens.txt")), "\n") {
		if name, form, ok := strings.Cut(l, " | "); ok && !strings.HasPrefix(l, "#") {
			forms[name] = append(forms[name], form)
		}
	}
	return forms
}

// Code is n lines of code without findings.
func Code(n int) string {
	var b strings.Builder
	for i := range n {
		switch i % 8 {
		case 0:
			fmt.Fprintf(&b, "// load%d reads the user's settings, and says what is missing.\n", i)
		case 1:
			fmt.Fprintf(&b, "func load%d(ctx context.Context, path string) (*Settings, error) {\n", i)
		case 6:
			fmt.Fprintf(&b, "\treturn &Settings{path: path, token: os.Getenv(\"TOKEN_%d\")}, nil\n", i)
		case 7:
			b.WriteString("}\n")
		default:
			fmt.Fprintf(&b, "\tuser%d, err := store.Load(ctx, path, key%d) // as the manual says\n", i, i)
		}
	}
	return b.String()
}
