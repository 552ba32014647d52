package logstate

import "maps"

// Rights are those of the members of an organisation, as of a size of its log.
type Rights struct {
	Size    int64
	Told    int64             // Authority.Told
	Members map[string]Member // nil: this log doesn't name everybody
}

// MembersOnly is a copy that grows by what is logged of members, and by nothing else.
func (logged Authority) MembersOnly() Authority {
	of := Authority{Members: maps.Clone(logged.Members), ModeKnown: logged.ModeKnown, Told: logged.Told}
	of.Fill()
	return of
}

// Rights are what Authority says of members, as of a size of the log.
func (logged Authority) Rights(size int64) *Rights {
	if !logged.ModeKnown {
		return &Rights{Size: size, Told: logged.Told}
	}
	return &Rights{size, logged.Told, logged.Members}
}
