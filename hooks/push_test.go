package hooks_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/hooks"
)

func TestParsePush(t *testing.T) {
	a, b, zero := strings.Repeat("a1", 20), strings.Repeat("b2", 20), strings.Repeat("0", 40)
	long, zero64 := strings.Repeat("c3", 32), strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		stdin string
		want  []hooks.Push
	}{
		"nothing":      {"", nil},
		"one branch":   {"refs/heads/x " + a + " refs/heads/x " + b + "\n", []hooks.Push{{LocalRef: "refs/heads/x", LocalOID: a, RemoteRef: "refs/heads/x", RemoteOID: b}}},
		"no newline":   {"HEAD " + a + " refs/heads/x " + zero, []hooks.Push{{LocalRef: "HEAD", LocalOID: a, RemoteRef: "refs/heads/x", RemoteOID: zero}}},
		"a deletion":   {"(delete) " + zero + " refs/heads/x " + b + "\n", []hooks.Push{{LocalRef: "(delete)", LocalOID: zero, RemoteRef: "refs/heads/x", RemoteOID: b}}},
		"an empty one": {"\n", nil},
		"SHA-256":      {"refs/heads/x " + long + " refs/tags/v1 " + zero64 + "\n", []hooks.Push{{LocalRef: "refs/heads/x", LocalOID: long, RemoteRef: "refs/tags/v1", RemoteOID: zero64}}},
		"an odd local": {"HEAD^{/fix " + zero + " it} " + a + " refs/heads/x " + b + "\n", []hooks.Push{{LocalRef: "HEAD^{/fix " + zero + " it}", LocalOID: a, RemoteRef: "refs/heads/x", RemoteOID: b}}},
		"two": {"@ " + a + " refs/heads/é " + b + "\n" + a + " " + a + " refs/plans/p-1234 " + zero + "\n", []hooks.Push{
			{LocalRef: "@", LocalOID: a, RemoteRef: "refs/heads/é", RemoteOID: b}, {LocalRef: a, LocalOID: a, RemoteRef: "refs/plans/p-1234", RemoteOID: zero}}},
	} {
		got, err := hooks.ParsePush(strings.NewReader(c.stdin))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	many, err := hooks.ParsePush(strings.NewReader(strings.Repeat("refs/heads/x "+a+" refs/heads/x "+b+"\n", 1000)))
	if err != nil || len(many) != 1000 {
		t.Errorf("%d refs, %v", len(many), err)
	}
	for _, bad := range []string{"x\n", "refs/heads/x " + a + " refs/heads/x\n", "x " + a[1:] + " y " + b + "\n", "x " + strings.ToUpper(a) + " y " + b + "\n"} {
		if got, err := hooks.ParsePush(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read as %+v", bad, got)
		}
	}
}

func TestKindsOfPushes(t *testing.T) {
	for _, n := range []int{40, 64} {
		p := hooks.Push{LocalOID: strings.Repeat("0", n), RemoteOID: strings.Repeat("0", n), RemoteRef: "refs/heads/a/b"}
		if !p.Deletes() || !p.New() || !p.Work() {
			t.Errorf("%+v", p)
		}
	}
	p := hooks.Push{LocalOID: "0a", RemoteOID: "a0", RemoteRef: "refs/tags/v1"}
	if p.Deletes() || p.New() || p.Work() {
		t.Errorf("%+v", p)
	}
}
