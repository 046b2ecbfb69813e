package git

import (
	"fmt"
	"strings"
	"time"
)

// Commit is one commit with its whole message.
type Commit struct {
	OID, Tree string
	Parents   []string
	Time      string // committer date, strict ISO 8601
	Message   string
}

// Subject returns the first line of the message that is not empty.
func (c Commit) Subject() string {
	s, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return s
}

func parseCommit(oid, data string) Commit {
	c := Commit{OID: oid}
	head, body, _ := strings.Cut(data, "\n\n")
	for _, line := range strings.Split(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "committer":
			c.Time = isoTime(value)
		}
	}
	c.Message = body
	return c
}

func headers(commit string) string {
	head, _, _ := strings.Cut(commit, "\n\n")
	return head
}

// isoTime returns the time in an identity, "Name <mail> 1700000000 +0100", as %cI prints it,
// or "" if there is none.
func isoTime(identity string) string {
	var at int64
	var zone int
	if _, err := fmt.Sscanf(identity[strings.LastIndexByte(identity, '>')+1:], "%d %d", &at, &zone); err != nil {
		return ""
	}
	return time.Unix(at, 0).In(time.FixedZone("", (zone/100*60+zone%100)*60)).Format(time.RFC3339)
}
