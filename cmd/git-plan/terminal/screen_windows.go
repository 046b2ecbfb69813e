package terminal

// obeySignals has nothing to do: Windows reports no new size to programs; the
// next tick of the clock sees it.
func (s *screen) obeySignals(<-chan struct{}) {}
