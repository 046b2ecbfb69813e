package wire

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// lesson is what an endpoint turned out to be for one model.
type lesson struct {
	api     string          // what auto came to; empty as long as nothing speaks against the first choice
	without map[string]bool // parameters that it does not take
	window  int             // tokens; 0 when it did not say
	asked   bool            // for its window
	there   bool            // it has answered, with whatever
	speaks  bool            // it has answered as a model does
}

// Lessons are what endpoints turned out to be. The zero value knows nothing yet;
// agents that are given the same one do not learn the same twice.
type Lessons struct {
	mu sync.Mutex
	of map[place]lesson
}

// place is what a lesson is about.
type place struct{ base, model string }

func (e *Endpoint) lesson(model string) lesson {
	e.Lessons.mu.Lock()
	defer e.Lessons.mu.Unlock()
	return e.Lessons.of[place{e.BaseURL, model}]
}

// learn changes the lesson of a model. f is given a copy of its own.
func (e *Endpoint) learn(model string, f func(*lesson)) {
	e.Lessons.mu.Lock()
	defer e.Lessons.mu.Unlock()
	at := place{e.BaseURL, model}
	l := e.Lessons.of[at]
	l.without = maps.Clone(l.without)
	f(&l)
	if e.Lessons.of == nil {
		e.Lessons.of = map[place]lesson{}
	}
	e.Lessons.of[at] = l
}

// form puts a request into the form that the endpoint is known to take.
func (e *Endpoint) form(q Request) Request {
	l := e.lesson(q.Model)
	q.api, q.without = e.apiFor(l), l.without
	if q.Force != "" && l.without[toolChoice] { // then there is nothing else to call
		q.Tools = slices.DeleteFunc(slices.Clone(q.Tools), func(t Tool) bool { return t.Name != q.Force })
	}
	q.strict = isFirstParty(e.BaseURL) && !l.without["strict"]
	if q.mark = e.markOf(q.Model, q.api); l.without[q.mark] {
		q.mark = ""
	}
	if !isFirstParty(e.BaseURL) { // others are not known to take it
		q.CacheKey = ""
	}
	return q
}

// apiFor returns the API over which a model is asked.
func (e *Endpoint) apiFor(l lesson) string {
	switch {
	case e.API != apiAuto:
		return e.API
	case l.api != "":
		return l.api
	case isFirstParty(e.BaseURL):
		return apiResponses
	}
	return apiChat
}

// adapt draws the lesson from a request that was refused for its form, and
// says it; empty when the same conversation can be sent in no other form.
func (e *Endpoint) adapt(q Request, f *Fault) string {
	if q.strict && f.refusesStrict() {
		e.goWithout(q.Model, "strict")
		return "the endpoint does not take strict schemas; going on without"
	}
	if f.kind == faultParameter {
		for _, p := range optionalOver(q.api) {
			if f.names(p) && !q.without[p] && (p != toolChoice || q.Force != "") {
				e.goWithout(q.Model, p)
				return "the endpoint does not take " + p + "; going on without it"
			}
		}
	}
	other := f.otherAPI(q.api)
	if other == "" || e.API != apiAuto {
		return ""
	}
	// Switched once, whichever way: an endpoint that refuses both has neither.
	again := false
	e.learn(q.Model, func(l *lesson) {
		if l.api == "" {
			l.api = other
		}
		again = l.api != q.api // another session may have learned it first
	})
	if !again {
		return ""
	}
	return "the endpoint needs the API " + other + "; going on with it"
}

// goWithout learns that an endpoint does not take a parameter.
func (e *Endpoint) goWithout(model, param string) {
	e.learn(model, func(l *lesson) {
		if l.without == nil {
			l.without = map[string]bool{}
		}
		l.without[param] = true
	})
}

// otherAPI returns the API that the refusal of a request points to: chat if there
// is no /responses, and responses if the endpoint names it. OpenAI says the
// latter in words only, with the code null and a param of another meaning.
func (f *Fault) otherAPI(used string) string {
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
