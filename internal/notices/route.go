package notices

// route is who is told of a notice that calls nobody: the ids of channels. Whom a request
// calls is for the plan to say, see Service.whom. Of the end of a request a channel that only
// follows is told where it was called.
func route(n Notice, all []Channel, follows func(Channel) bool, called map[string]bool) (ids []string) {
	for _, c := range all {
		switch {
		case n.Only != "":
			if c.ID == n.Only {
				ids = append(ids, c.ID)
			}
		case c.State != Active || n.Subject == c.ID || c.Person != "" && !n.Kind.Ends():
		case c.Tell(n.Kind), n.Kind.Ends() && follows(c) && called[c.ID]:
			ids = append(ids, c.ID)
		}
	}
	return ids
}
