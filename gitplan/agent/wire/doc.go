// Package wire asks a model: a request with a conversation goes to an OpenAI-compatible
// endpoint, and a turn of the model comes back, or a fault.
//
//	endpoint  a model server as it is configured, and the connection to it
//	request   a conversation, the tools on offer, the model that is asked
//	turn      what the model answered: text, calls of tools, what it used
//	fault     why there is no turn, whether waiting helps, what the person can do
//	lesson    what an endpoint turned out to be: its API, what it does not take, its window
//
// How a request walks through the files:
//
//	ask.go       Ask: one exchange within its limits, again as patience allows
//	learned.go   the form that this endpoint is known to take; what a refusal teaches
//	mark.go      what conversations share, marked for those who cache nothing else
//	strict.go    schemas that a model must keep to, if the endpoint takes those
//	wire.go      the request's body; chat.go and responses.go put it in the words of one of
//	             the two APIs
//	             package events reads the answer, bounded; chat.go and responses_answer.go make a
//	             turn of it, calls.go puts calls together, all forgiving what servers get wrong
//	message.go   what both APIs have in common; json.go reads JSON as servers write it
//	fault.go     what went wrong, and how a session ends by it; remedy.go what a person does about it
//
// endpoint.go checks and connects, reach.go tries whether a session would work, window.go
// asks how much the model takes. openai-go is used for its requests and for posting them;
// its own accumulator merges or loses the tool calls of several servers.
package wire
