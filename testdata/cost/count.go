package main

import "hash/fnv"

// tokens of a text: four bytes make one.
func tokens(s string) float64 { return float64(len(s)) / 4 }

// thinking is the assumed number of tokens of thought before each answer.
const thinking = 150

// cache is a provider's cache of earlier requests; look returns the cached tokens and those charged for
// writing.
type cache interface {
	look(*request) (cached, written float64)
	add(*request)
}

// prefixes is a cache of common prefixes in blocks of 128 tokens, from 1,024 on (OpenAI, DeepSeek, vLLM).
type prefixes map[uint64]bool

const block = 128 * 4 // bytes

func (p prefixes) blocks(q *request) (sums []uint64) {
	text, h := q.text(), fnv.New64a()
	for at := 0; at+block <= len(text); at += block {
		_, _ = h.Write([]byte(text[at : at+block]))
		sums = append(sums, h.Sum64())
	}
	return sums
}

func (p prefixes) look(q *request) (cached, written float64) {
	for _, sum := range p.blocks(q) {
		if !p[sum] {
			break
		}
		cached += 128
	}
	if cached < 1024 {
		cached = 0
	}
	return cached, 0
}

func (p prefixes) add(q *request) {
	for _, sum := range p.blocks(q) {
		p[sum] = true
	}
}

// marks is a cache of prefixes that end at a mark, which charges for writing (Claude).
type marks map[uint64]bool

func (m marks) look(q *request) (cached, written float64) {
	h, sum := fnv.New64a(), 0.0
	for _, s := range q.segments {
		_, _ = h.Write([]byte(s.text))
		if sum += tokens(s.text); m[h.Sum64()] && sum >= 1024 {
			cached = sum
		}
	}
	return cached, sum - cached
}

func (m marks) add(q *request) {
	h := fnv.New64a()
	for i, s := range q.segments {
		_, _ = h.Write([]byte(s.text))
		if s.mark || i == len(q.segments)-1 {
			m[h.Sum64()] = true
		}
	}
}

// counted is the total of some requests.
type counted struct {
	sessions, requests       int
	in, cached, written, out float64 // tokens
}

// count counts requests in the order in which they were sent; answered has the order of their answers.
func count(sent, answered []*request, c cache) (sum counted) {
	done, sessions := 0, map[string]bool{}
	for _, q := range sent {
		for ; done < q.before; done++ {
			c.add(answered[done])
		}
		cached, written := c.look(q)
		sum.requests++
		in := tokens(q.text())
		sum.in, sum.cached, sum.written, sum.out = sum.in+in, sum.cached+cached, sum.written+written, sum.out+q.out+thinking
		if !sessions[q.session] {
			sessions[q.session], sum.sessions = true, sum.sessions+1
		}
	}
	return sum
}

// prices are in US dollars per million tokens.
type prices struct{ in, cached, written, out float64 }

func (p prices) of(c counted) float64 {
	return ((c.in-c.cached-c.written)*p.in + c.cached*p.cached + c.written*p.written + c.out*p.out) / 1e6
}

// Prices of 2026: a GPT-5 before 5.6, one after it, and Claude Sonnet.
var (
	early  = prices{1.25, 0.125, 1.25, 10}
	later  = prices{1.25, 0.125, 1.5625, 10}
	sonnet = prices{3, 0.3, 3.75, 15}
)
