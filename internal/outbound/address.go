package outbound

import (
	"fmt"
	"net/netip"
	"strings"
)

// Networks are those that may be called although they are not of the public internet.
type Networks []netip.Prefix

// ParseNetworks reads addresses and networks (CIDR), separated by commas.
func ParseNetworks(text string) (all Networks, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		p, err := netip.ParsePrefix(part)
		if err != nil {
			a, err := netip.ParseAddr(part)
			if err != nil || a.Zone() != "" {
				return nil, fmt.Errorf("%.60q is neither an address nor a network; write for example 10.1.2.3 or 10.1.0.0/16", part)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		if p.Addr().Is4In6() {
			return nil, fmt.Errorf("%.60q is an IPv4 address in IPv6; write it as IPv4", part)
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// contain reports whether an address is in one of the networks.
func (n Networks) contain(a netip.Addr) bool {
	for _, p := range n {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// special are the IPv4 networks that are not of the public internet, of the IANA registry of
// special-purpose addresses (RFC 6890), with multicast and the addresses that are reserved.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
)

// global is what is given out of IPv6 (2000::/3); special6 is what of it leads elsewhere:
// protocol assignments with Teredo, documentation, 6to4, and AS112.
var (
	global   = netip.MustParsePrefix("2000::/3")
	special6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)

func prefixes(all ...string) (list Networks) {
	for _, p := range all {
		list = append(list, netip.MustParsePrefix(p))
	}
	return list
}

// Public reports whether an address is one of the public internet. An IPv4 address inside
// of IPv6, in any of the ways there are, is none: whoever has one can write it as IPv4.
func Public(a netip.Addr) bool {
	if a = a.WithZone(""); a.Is4() {
		return !special.contain(a)
	}
	return global.Contains(a) && !special6.contain(a)
}
