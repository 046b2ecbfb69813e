package proc

// SandboxKinds returns the kinds that this system may have, the strongest first.
func SandboxKinds() []SandboxKind { return []SandboxKind{Bwrap, Landlock} }
