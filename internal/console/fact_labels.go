package console

import (
	"cmp"

	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/views/texts"
)

// factLabel names a fact in the reader's language. A label that is none of ours is a
// word of the agent's, and stays as it is.
func factLabel(say texts.Printer, f facts.Fact) string {
	label := cmp.Or(f.Label, string(f.Kind))
	if key, ok := factLabels[label]; ok {
		return say.Key(key)
	}
	return flat(say, sentence(label))
}

// factWord is the label within a line, with the words of an agent as they are.
func factWord(say texts.Printer, f facts.Fact) string {
	if key, ok := factLabels[f.Label]; ok {
		return lowerFirst(say.Key(key))
	}
	return f.Label
}

// factLabels are the words that facts are labelled with, and their kinds.
var factLabels = map[string]texts.Key{
	"account":       texts.Key("Account"),
	"address":       texts.Key("Address"),
	"all of a kind": texts.Key("All of a kind"),
	"amount":        texts.Key("Amount"),
	"branch":        texts.Key("Branch"),
	"bucket":        texts.Key("Bucket"),
	"cascade":       texts.Key("Cascade"),
	"channel":       texts.Key("Channel"),
	"cluster":       texts.Key("Cluster"),
	"collection":    texts.Key("Collection"),
	"confirm":       texts.Key("Confirm"),
	"container":     texts.Key("Container"),
	"cost":          texts.Key("Cost"),
	"count":         texts.Key("Count"),
	"customer":      texts.Key("Customer"),
	"database":      texts.Key("Database"),
	"date":          texts.Key("Date"),
	"destination":   texts.Key("Destination"),
	"directory":     texts.Key("Directory"),
	"domain":        texts.Key("Domain"),
	"dry run":       texts.Key("Dry run"),
	"digest":        texts.Key("Digest"),
	"effect":        texts.Key("Effect"),
	"value":         texts.Key("Value"),
	"email":         texts.Key("Email"),
	"endpoint":      texts.Key("Endpoint"),
	"environment":   texts.Key("Environment"),
	"file":          texts.Key("File"),
	"force":         texts.Key("Force"),
	"function":      texts.Key("Function"),
	"hard":          texts.Key("Hard"),
	"host":          texts.Key("Host"),
	"iban":          texts.Key("IBAN"),
	"index":         texts.Key("Index"),
	"key":           texts.Key("Key"),
	"limit":         texts.Key("Limit"),
	"namespace":     texts.Key("Namespace"),
	"package":       texts.Key("Package"),
	"path":          texts.Key("Path"),
	"phone":         texts.Key("Phone"),
	"price":         texts.Key("Price"),
	"program":       texts.Key("Program"),
	"project":       texts.Key("Project"),
	"quantity":      texts.Key("Quantity"),
	"queue":         texts.Key("Queue"),
	"recipient":     texts.Key("Recipient"),
	"recursive":     texts.Key("Recursive"),
	"reference":     texts.Key("Reference"),
	"region":        texts.Key("Region"),
	"release":       texts.Key("Release"),
	"remote":        texts.Key("Remote"),
	"replicas":      texts.Key("Replicas"),
	"repository":    texts.Key("Repository"),
	"resource":      texts.Key("Resource"),
	"rows":          texts.Key("Rows"),
	"service":       texts.Key("Service"),
	"size":          texts.Key("Size"),
	"source":        texts.Key("Source"),
	"stack":         texts.Key("Stack"),
	"stage":         texts.Key("Stage"),
	"sum":           texts.Key("Sum"),
	"table":         texts.Key("Table"),
	"tag":           texts.Key("Tag"),
	"target":        texts.Key("Target"),
	"topic":         texts.Key("Topic"),
	"total":         texts.Key("Total"),
	"user":          texts.Key("User"),
	"volume":        texts.Key("Volume"),
	"volumes":       texts.Key("Volumes"),
	"workspace":     texts.Key("Workspace"),
	"flag":          texts.Key("Flag"), "time": texts.Key("Time"),
}
