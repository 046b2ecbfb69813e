package agent

import (
	"maps"
	"strings"
	"sync"
)

// lesson is what an endpoint turned out to be for one model.
type lesson struct {
	api     string          // what auto came to; empty as long as nothing speaks against the first choice
	without map[string]bool // parameters that it does not take
	window  int             // tokens; 0 when it did not say
	asked   bool            // for its window
}

// Lessons are what endpoints turned out to be. The zero value knows nothing yet;
// agents that are given the same one do not learn the same twice.
type Lessons struct {
	mu sync.Mutex
	of map[place]lesson
}

// place is what a lesson is about.
type place struct{ base, model string }

func (o *OpenAI) lesson(model string) lesson {
	o.Lessons.mu.Lock()
	defer o.Lessons.mu.Unlock()
	return o.Lessons.of[place{o.BaseURL, model}]
}

// learn changes the lesson of a model. f is given a copy of its own.
func (o *OpenAI) learn(model string, f func(*lesson)) {
	o.Lessons.mu.Lock()
	defer o.Lessons.mu.Unlock()
	at := place{o.BaseURL, model}
	l := o.Lessons.of[at]
	l.without = maps.Clone(l.without)
	f(&l)
	if o.Lessons.of == nil {
		o.Lessons.of = map[place]lesson{}
	}
	o.Lessons.of[at] = l
}

// apiFor is the API over which a model is asked.
func (o *OpenAI) apiFor(l lesson) string {
	switch {
	case o.API != apiAuto:
		return o.API
	case l.api != "":
		return l.api
	case isFirstParty(o.BaseURL):
		return apiResponses
	}
	return apiChat
}

// adapt draws the lesson from a request that was refused for its form, and
// says it; empty when the same conversation can be sent in no other form.
func (o *OpenAI) adapt(q request, f *fault) string {
	if f.kind == faultParameter {
		for _, p := range wireOf(q.api).optional {
			if f.names(p) && !q.without[p] {
				o.learn(q.model, func(l *lesson) {
					if l.without == nil {
						l.without = map[string]bool{}
					}
					l.without[p] = true
				})
				return "the endpoint does not take " + p + "; going on without it"
			}
		}
	}
	other := f.otherAPI(q.api)
	if other == "" || o.API != apiAuto {
		return ""
	}
	// Switched once, whichever way: an endpoint that refuses both has neither.
	again := false
	o.learn(q.model, func(l *lesson) {
		if l.api == "" {
			l.api = other
		}
		again = l.api != q.api // another session may have learned it first
	})
	if !again {
		return ""
	}
	return "the endpoint wants the API " + other + "; going on with it"
}

// otherAPI is the API that the refusal of a request points to: chat where there
// is no /responses, and responses where the endpoint names it. OpenAI says the
// latter in words only, with the code null and a param of another meaning.
func (f *fault) otherAPI(used string) string {
	switch {
	case used == apiChat && f.kind == faultAPI:
		return apiResponses
	case used == apiResponses && f.kind == faultNotFound && f.http >= 404 && f.code != "model_not_found":
		return apiChat
	}
	return ""
}

// isFirstParty: hosts whose own models need the Responses API for tools, and
// which are sure to have it.
func isFirstParty(base string) bool {
	host := Host(base)
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || IsAzure(host)
}
