// Package forge opens pull requests by the program of their host: gh for GitHub, glab for GitLab.
//
// forge.go has how each is called. The person has signed in to it: no token is read here.
package forge
