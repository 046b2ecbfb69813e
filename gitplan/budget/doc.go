// Package budget is what sessions may use: tokens, money and time, of the plan and of each step.
//
//	limit      a budget that is set: plan.maxTokens and the like      limits.go
//	spent      what sessions used, as an event or a session says it   spent.go
//	Spending   both together: may there be another model call?        budget.go
//
// A session asks before each model call. A limit of which nobody knows whether it is reached, since
// an agent does not report what it uses, or its model has no price, forbids the call, too.
package budget
