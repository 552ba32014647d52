package main

import (
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/outbound"
)

// senders are the kinds of channels for notices, in the order in which they are offered.
func (s Serving) senders() ([]notices.Sender, error) {
	allowed, err := outbound.ParseNetworks(s.NoticeNetworks)
	if err != nil {
		return nil, err
	}
	client := outbound.New(outbound.Config{Allowed: allowed})
	return []notices.Sender{notices.Webhook{Client: client}}, nil
}
