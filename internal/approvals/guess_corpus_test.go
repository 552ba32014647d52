package approvals

// Words of several trades and scripts, which somebody who guesses may know.
const (
	serviceWords = "checkout search billing auth ledger kestrel payments inventory-sync webhook-relay mailer geo-lookup recommender pricing-engine fraudwatch thumbnailer orders catalogue identity session-store notifier etl-loader scheduler reporting tax-calc edge-proxy"
	givenNames   = "dana mei oskar priya tomas lena farid ruth jürgen siobhan kwame ximena bartholomew li ngozi anastasia jo hiroshi pádraig wei"
	surnames     = "wheeler tanaka lind shah novak braun aziz cole papadopoulos ng o-brien castellanos vanderberg ito singh krzyzewski"
	domains      = "example.com example.org corp.example mail.example.net northwind.example acme.test globex.example"
	companyWords = "Northwind|Globex GmbH|Initech|Umbrella AG|Contoso Ltd|Ørsted Varme|Müller & Söhne|Łódź Tekstyl|Société Générale d'Eau|株式会社東都|ООО Ромашка|شركة النور|Vandelay Industries|Wayne Ent.|Hooli|Pied Piper|Stark Logistics|Soylent|Tyrell|Cyberdyne Sys"
	tableWords   = "orders users invoices contacts sessions crm.contacts billing.invoices hr.audit shipments line_items public.accounts audit_log payment_methods tmp_import_2024 stock_levels app.events refunds"
	hostWords    = "db-prod-1 db-prod-2 web-eu-1 web-us-2 cache-03 kafka-broker-7 bastion api.internal.example queue01.example k8s-node-14 build-runner mx1.example.org"
)
