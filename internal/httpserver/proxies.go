package httpserver

import (
	"net"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/fault"
)

// ParseProxies reads a list of networks (CIDR) or single addresses, separated by
// commas. The error is a fault InvalidSetting.
func ParseProxies(list string) ([]*net.IPNet, error) {
	var all []*net.IPNet
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		if ip := net.ParseIP(entry); ip != nil {
			entry += "/128"
			if ip.To4() != nil {
				entry = ip.String() + "/32"
			}
		}
		_, network, err := net.ParseCIDR(entry)
		if err != nil {
			return nil, fault.Member(fault.InvalidSetting, "COUNTERSIGN_TRUSTED_PROXIES", "%.60q is neither an address nor a network; write them separated by commas, for example 10.0.0.0/8,127.0.0.1", entry)
		}
		all = append(all, network)
	}
	return all, nil
}

// addressOf says whose address a request has: the peer's, or, where the peer is
// a trusted proxy, the last one in X-Forwarded-For that is none.
func addressOf(proxies []*net.IPNet) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect() // nobody's X-Forwarded-For is believed
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range proxies {
		options = append(options, echo.TrustIPRange(p))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}
