package confine

// Kinds returns the kinds that this system may have, the strongest first.
func Kinds() []Kind { return []Kind{Seatbelt} }
