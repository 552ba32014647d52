package review

import "github.com/countersign/countersign/views"

// ToldBlock says who was called to a request, and what came of it.
type ToldBlock struct {
	// Summary is for example "No one was reached"; empty where a channel took it.
	Summary string
	Tone    views.Tone
	Icon    views.Icon
	Rows    []ToldRow
}

// ToldRow is one delivery.
type ToldRow struct {
	Channel []views.Run
	// What is told, for example "Waits for a decision".
	What string
	// State is for example "delivered 14:03:05" or "retrying, next in 30 s".
	State []views.Run
	// Why is the last error; may be empty.
	Why []views.Run
}
