// Package prompt is what a session is told: templates (prompts/*.md) that are filled from a
// plan, its progress and the attempts before.
//
//	Prompts   a template for each role; a repository may have its own
//	Attempt   what a session is told about the attempts before it
//	Planning  what a planner is told
//
// The parts that all steps share stand first, so that models' caches hold them. What files
// and outputs say is framed by a nonce, as material that is not to be followed. A prompt has
// a budget; what does not fit is left out by rank, never cut within.
package prompt
