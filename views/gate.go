package views

// SignIn is the form with email and password. It is POSTed to URL with email,
// password and next.
type SignIn struct {
	Assets Assets
	URL    string
	// Next is where to go afterwards; a path of ours, checked by the server.
	Next string
	// Email is what was typed before a refusal.
	Email string
	// Error is shown above the form; the same words for unknown people and wrong
	// passwords.
	Error string
	// Hint stands below, for example about forgotten passwords.
	Hint string
	// Done says why the person is here, for example "You are signed out."
	Done string
}

// SignInLink is the page behind a one-time link: one button, POSTed to URL with
// token.
type SignInLink struct {
	Assets Assets
	URL    string
	Token  string
	// Person and Tenant say who signs in, and where; may be empty.
	Person, Tenant string
}

// FirstRun is the form of the first start. It is POSTed to URL with token, slug,
// name, email and password.
type FirstRun struct {
	Assets Assets
	URL    string
	Token  string
	// Slug, Name and Email are what was typed before a refusal.
	Slug, Name, Email string
	// Error concerns the whole form; the others stand at their fields.
	Error                                           string
	SlugError, NameError, EmailError, PasswordError string
}

// NoTenant is for somebody who is signed in and belongs to no organisation.
type NoTenant struct {
	Assets  Assets
	Email   string
	SignOut string
}

// Failure is the page of an error.
type Failure struct {
	// Page is what stands around the page of a member; nil where nobody is known.
	Page   *Page
	Assets Assets
	// Status is for example 404.
	Status int
	// Title is what happened, Meaning what it means, Do what to do.
	Title, Meaning, Do string
	// RequestID is shown so that an admin can find it in the log.
	RequestID string
	// Back leads on; nil for none.
	Back *Link
	// Other is a form below it; nil for none.
	Other *PlainForm
}
