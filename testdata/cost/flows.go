package main

import (
	"fmt"
	"strings"
)

// flow12 is another way to do the same twelve steps, made of the same pieces: what git plan's
// sessions read, said and were answered.
type flow12 struct {
	name string
	sent []*request
}

// turn is one answer of a model and what its tools said to it.
type turn struct {
	said  string
	tools []string
	heard []segment
}

// held is a session that was held: what it began with, and its turns but the last.
type held struct {
	role, round string
	begin       []segment
	turns       []turn
}

// sessionsOf returns the sessions of recorded requests.
func sessionsOf(sent []*request) (list []held) {
	last, order := map[string]*request{}, []string{}
	for _, q := range sent {
		if last[q.session] == nil {
			order = append(order, q.session)
		}
		last[q.session] = q
	}
	for _, name := range order {
		q := last[name]
		h := held{role: q.role, round: q.round}
		for _, s := range q.segments {
			switch n := len(h.turns); {
			case strings.HasPrefix(s.text, "assistant:"):
				h.turns = append(h.turns, turn{said: s.text})
			case n == 0:
				h.begin = append(h.begin, s)
			default:
				h.turns[n-1].heard = append(h.turns[n-1].heard, s)
			}
		}
		list = append(list, h)
	}
	return list
}

// hold returns the requests of a session that begins with some segments and has some turns.
func hold(name, role, round string, begin []segment, turns []turn) (list []*request) {
	so := append([]segment{}, begin...)
	for i, t := range turns {
		if t.tools == nil && strings.Contains(t.said, "run_command") {
			t.tools = []string{"run_command"}
		}
		list = append(list, &request{role: role, session: name, round: round, turn: i, segments: append([]segment{}, so...), out: tokens(t.said), tools: t.tools})
		so = append(append(so, segment{text: t.said}), t.heard...)
	}
	return list
}

// say is a turn that no recorded session had: what the model says, and what it hears of size bytes.
func say(text string, size int) turn {
	return turn{said: "assistant:" + says + text, heard: []segment{{text: "tool:" + strings.Repeat("x", size)}}}
}

// words is a text of about n bytes that is like no other.
func words(name string, n int) segment {
	return segment{text: strings.Repeat(name+" ", n/(len(name)+1)+1)}
}

// others returns the flows beside git plan's. One after the other, as their sessions are: each
// request finds what those before it left in the cache.
func others(s *server) []flow12 {
	all := sessionsOf(s.requests)
	list := []flow12{
		{"a loop like ralphex", looped(all, 0)},
		{"the same in Claude Code", looped(all, 64000)},
		{"one conversation", conversed(all)},
	}
	for _, f := range list {
		for i, q := range f.sent {
			q.before = i
		}
	}
	return list
}

// looped is ralphex's loop: a session for each task reads the plan by a tool, announces what it
// will do, ticks and commits by itself; five agents review, each with the diff by git, then two, a
// second opinion, and two again. Prompts have the sizes of ralphex's. more is what an agent's own
// prompt and tools add, in bytes.
func looped(all []held, more int) (list []*request) {
	tools, plan, diff := words("tools", 5000+more), len(planText()), 12*(len(codeOf(1))+len(testOf(1)))
	begin := func(prompt string, size int) []segment { return []segment{tools, words(prompt, size)} }
	var fixer, reviewer held
	for i, h := range all {
		switch {
		case h.role == "planner":
			t := append([]turn{say("progress", 20)}, h.turns...)
			list = append(list, hold("plan", "planner", "", begin("make plan", 7600), append(t, say(planText(), 100), say("ready", 0)))...)
		case h.role == "executor":
			t := append([]turn{say("read plan"+strings.Repeat("announce ", 90), plan)}, h.turns...)
			t = append(t, say("tick", 800), say("git add -A && git commit", 100), say("done", 0))
			list = append(list, hold(fmt.Sprint("task", i), "executor", "", begin("task", 3400), t)...)
		case h.role == "reviewer" && h.round == "1":
			reviewer = h
		case h.role == "fixer":
			fixer = h
		}
	}
	pass := func(name string, prompt, agents int, fix bool) {
		own := begin(name, prompt)
		main := []turn{say("git log", 400), say("git diff", diff), say(strings.Repeat("agent ", 100*agents), 1600*agents)}
		list = append(list, hold(name, "main", "", own, main)...)
		for j := range agents {
			t := append([]turn{say("git log", 400), say("git diff", diff)}, reviewer.turns...)
			list = append(list, hold(fmt.Sprint(name, j), "reviewer", name, begin(fmt.Sprint("agent", j), 2000), append(t, say(strings.Repeat("report ", 230), 0)))...)
		}
		if fix {
			list = append(list, hold(name, "main", "", own, append(append(main, fixer.turns...), say("git commit", 100), say("done", 0)))[len(main):]...)
		}
	}
	pass("first review", 4600, 5, true)
	pass("second review", 4100, 2, false)
	list = append(list, hold("opinion", "reviewer", "opinion", begin("opinion", 2000), append([]turn{say("git diff", diff)}, reviewer.turns...))...)
	pass("third review", 4100, 2, false)
	return list
}

// conversed is one conversation from the plan to the fix, which reads each file once. Its window
// is large enough for all of it.
func conversed(all []held) []*request {
	var turns []turn
	seen := map[string]bool{}
	for _, h := range all {
		if h.role == "verifier" || h.role == "reviewer" && (h.round != "1" || seen["reviewed"]) {
			continue
		}
		seen["reviewed"] = h.role == "reviewer"
		for _, t := range h.turns {
			if looks := strings.Contains(t.said, "read_file") || strings.Contains(t.said, "list_files"); !looks || !seen[t.said] {
				turns = append(turns, t)
			}
			seen[t.said] = true
		}
		turns = append(turns, say("git commit, tick", 20))
	}
	return hold("one", "one", "", []segment{words("tools", 5000), words("goal", 4000)}, turns)
}
