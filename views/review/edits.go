package review

import "github.com/countersign/countersign/views"

// EditedFile is a file that the act edits, drawn as what differs in it.
type EditedFile struct {
	// ID is unique on the page.
	ID string
	// Does is for example "Changes" or "Deletes", To the new path of what is moved.
	Does     string
	Path, To []views.Run
	// Size is for example "1 line added, 2 lines removed"; empty where no line is.
	Size string
	// Lines are none where the call has no old text: the new one stands among the arguments.
	Lines []EditLine
}

// EditLine is a line of a file before and after.
type EditLine struct {
	// Gap stands for lines that are not drawn, for example "… 34 more lines, covered by the
	// digest"; nothing else is set then.
	Gap string
	// Same says that both are one.
	Same     bool
	Old, New *EditText
}

// EditText is one side of a line.
type EditText struct{ Text []views.Run }
