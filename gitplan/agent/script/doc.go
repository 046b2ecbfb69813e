// Package script implements a model server that plays recordings, for replays, the demo and tests.
package script
