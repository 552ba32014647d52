package lifetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// desk is how the tools of a help desk are called: the names that its published server or
// API has, and the arguments that an agent gives them.
type desk struct {
	lookups []string // function and arguments; %d is a number
	updates []string
	reply   string
	refund  string
}

// supportDesks are those of several products; payments go through the shop or the payment
// service that stands beside them.
var supportDesks = map[string]desk{
	"Zendesk": {
		lookups: []string{
			`zendesk_get_ticket {"ticket_id":%d}`, `zendesk_search {"query":"type:ticket requester:%d status<solved"}`, `zendesk_get_ticket_comments {"ticket_id":%d}`,
			`zendesk_get_user {"user_id":%d}`, `zendesk_search_articles {"query":"return a parcel","page":1}`, `zendesk_list_tickets {"page":1,"per_page":25}`,
			`shopify_get_order {"order_id":"%d"}`, `shopify_get_customer_orders {"customer_id":"%d","limit":10}`,
		},
		updates: []string{`zendesk_update_ticket {"ticket_id":%d,"status":"pending","priority":"normal"}`, `zendesk_update_ticket {"ticket_id":%d,"tags":["return","parcel"]}`},
		reply:   `zendesk_create_ticket_comment {"ticket_id":%d,"comment":"Hello Ms Weber, your parcel is on its way and should reach you tomorrow.","public":true}`,
		refund:  `stripe_create_refund {"payment_intent":"pi_%d","amount":39.9,"currency":"EUR"}`,
	},
	"Freshdesk": {
		lookups: []string{
			`get_ticket {"ticket_id":%d}`, `search_tickets {"query":"requester_id:%d AND status:2"}`, `get_ticket_conversation {"ticket_id":%d}`, `view_ticket_summary {"ticket_id":%d}`,
			`get_contact {"contact_id":%d}`, `list_companies {"page":1}`, `list_canned_responses {"folder_id":%d}`, `view_solution_article {"article_id":%d}`, `get_order_details {"order_id":"%d"}`,
		},
		updates: []string{`update_ticket {"ticket_id":%d,"ticket_fields":{"status":3,"priority":1}}`, `create_ticket_note {"ticket_id":%d,"body":"Customer called, address is right."}`},
		reply:   `create_ticket_reply {"ticket_id":%d,"body":"Hello Mr Novak, we sent you a new cable today."}`,
		refund:  `refund_order {"order_id":"%d","amount":25,"currency":"EUR"}`,
	},
	"Intercom": {
		lookups: []string{
			`intercom.get_conversation {"id":"%d"}`, `intercom.search_conversations {"query":{"field":"contact_ids","operator":"=","value":"%d"}}`, `intercom.get_contact {"id":"%d"}`,
			`intercom.search_contacts {"query":{"field":"email","operator":"=","value":"customer%d@mail.test"}}`, `intercom.list_articles {"page":1}`, `intercom.get_article {"id":"%d"}`,
			`billing.get_invoice {"invoice_id":"in_%d"}`, `billing.list_subscriptions {"customer":"cus_%d"}`,
		},
		updates: []string{`intercom.update_conversation {"id":"%d","priority":"not_priority","custom_attributes":{"topic":"invoice"}}`, `intercom.add_tag {"conversation_id":"%d","tag":"invoice"}`},
		reply:   `intercom.reply_to_conversation {"id":"%d","message_type":"comment","body":"Your invoice is attached to this message."}`,
		refund:  `billing.create_refund {"charge":"ch_%d","amount":19,"currency":"EUR","reason":"requested_by_customer"}`,
	},
	"Gorgias": {
		lookups: []string{
			`gorgias-get-ticket {"id":%d}`, `gorgias-list-tickets {"customer_id":%d,"limit":20}`, `gorgias-list-messages {"ticket_id":%d}`, `gorgias-get-customer {"id":%d}`,
			`gorgias-search-customers {"search":"weber %d"}`, `gorgias-list-macros {"limit":30}`, `getOrderStatus {"orderId":"%d"}`, `trackShipment {"trackingNumber":"1Z%d"}`,
		},
		updates: []string{`gorgias-update-ticket {"id":%d,"status":"open","assignee_team":"returns"}`, `gorgias-add-ticket-tags {"ticket_id":%d,"tags":["late"]}`},
		reply:   `gorgias-create-message {"ticket_id":%d,"channel":"email","body_text":"Hello, your order left our house this morning."}`,
		refund:  `createRefund {"orderId":"%d","amount":12.5,"currency":"EUR"}`,
	},
	"Help Scout": {
		lookups: []string{
			`searchConversations {"query":"customer:%d","status":"active"}`, `getConversationSummary {"conversationId":"%d"}`, `getThreads {"conversationId":"%d"}`, `searchInboxes {"query":"support"}`,
			`getServerTime {}`, `getCustomer {"customerId":"%d"}`, `listCustomerConversations {"customerId":"%d"}`, `lookup_order {"order_number":"%d"}`,
		},
		updates: []string{`updateConversationStatus {"conversationId":"%d","status":"pending"}`, `assignConversation {"conversationId":"%d","userId":"17"}`},
		reply:   `createReply {"conversationId":"%d","text":"Hello, the size that you asked for is back."}`,
		refund:  `issue_refund {"order_number":"%d","amount":30,"currency":"EUR"}`,
	},
}

// calls are 60: look-ups but for six ticket updates, four replies to customers and two
// refunds, in the order of a day's work.
func (d desk) calls() (all []string) {
	body := func(call string, n int) string {
		name, arguments, _ := strings.Cut(call, " ")
		if strings.Contains(arguments, "%d") {
			arguments = fmt.Sprintf(arguments, 48210+n)
		}
		return fmt.Sprintf(`{"function":%q,"arguments":%s,"session_id":"day"}`, name, arguments)
	}
	for n := range 60 {
		switch {
		case n%10 == 6:
			all = append(all, body(d.updates[n/10%len(d.updates)], n))
		case n%15 == 9:
			all = append(all, body(d.reply, n))
		case n == 28 || n == 55:
			all = append(all, body(d.refund, n))
		default:
			all = append(all, body(d.lookups[n%len(d.lookups)], n))
		}
	}
	return all
}

// A support agent's day: how often people are asked out of the box, and after its updates
// were lowered.
func TestSupportAgentsDay(t *testing.T) {
	t.Parallel()
	for name, d := range supportDesks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			if held := h.day(d); len(held) > 12 {
				t.Errorf("out of the box %d are held:\n%s", len(held), strings.Join(held, "\n"))
			}
			h.policy(func(p *scoring.Policy) {
				for _, call := range d.updates {
					f := scoring.Function{Glob: strings.Fields(call)[0], LowerTo: level.Low, Agent: h.agent.Name, Until: "2026-05-30T12:00:00Z", Reason: "changes what a like call changes back"}
					if !containsGlob(p.Functions, f.Glob) {
						p.Functions = append(p.Functions, f)
					}
				}
			})
			if held := h.day(d); len(held) > 7 {
				t.Errorf("with its updates lowered %d are held:\n%s", len(held), strings.Join(held, "\n"))
			}
		})
	}
}

func containsGlob(all []scoring.Function, glob string) bool {
	for _, f := range all {
		if f.Glob == glob {
			return true
		}
	}
	return false
}

// day submits a day's calls, and says what of them was held.
func (h *house) day(d desk) (held []string) {
	h.t.Helper()
	for _, body := range d.calls() {
		a := h.submit(body)
		switch a.Status {
		case approvals.Approved:
			if money := a.Assessment.Floor.Effect == effects.Money || a.Assessment.Floor.Effect == effects.Message; money {
				h.t.Errorf("%s runs without asking", a.Function)
			}
			h.ran(a, "succeeded")
		case approvals.Pending:
			held = append(held, fmt.Sprintf("%s %s: %s", a.Assessment.Level, body, a.Assessment.Floor.Because))
		default:
			h.t.Errorf("%s is %s", body, a.Status)
		}
	}
	return held
}
