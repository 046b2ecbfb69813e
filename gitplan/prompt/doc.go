// Package prompt writes what a session reads: it fills a template (prompts/*.md) from a
// plan, its progress and the attempts before.
//
// What all steps share comes first, so that models' caches hold it. What is about other
// steps has a budget; what exceeds it is left out step by step, never cut within one.
package prompt
