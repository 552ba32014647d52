package headline_test

import (
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

// What stops isn't deleted, a command that is handed over as a list is read as one, and a word that means money, a deletion
// or a control in other calls makes it none.
func TestConsequences(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		`"shell", "arguments": {"command": "shutdown -h now"}`:                                                                        "Ends what runs",
		`"shell", "arguments": {"command": "reboot"}`:                                                                                 "Ends what runs",
		`"shell", "arguments": {"command": "pkill -f worker"}`:                                                                        "Ends what runs",
		`"shell", "arguments": {"command": "kubectl scale deploy/web --replicas=0"}`:                                                  "Ends what runs",
		`"shell", "arguments": {"command": "gcloud compute instances stop web-1"}`:                                                    "Ends what runs",
		`"shell", "arguments": {"command": "gcloud compute instances delete web-1"}`:                                                  "Deletes for good",
		`"shell", "arguments": {"command": "crontab -r"}`:                                                                             "Changes what runs by itself",
		`"shell", "arguments": {"command": "tee /etc/sudoers.d/runner"}`:                                                              "Changes access or what runs",
		`"shell", "arguments": {"command": "rclone sync a: b: --dry-run"}`:                                                            "Only reads",
		`"shell", "arguments": {"command": "rclone sync a: b: --dry-run=false"}`:                                                      "Deletes for good",
		`"shell", "arguments": {"command": ["etcdctl", "--endpoints=https://10.20.0.11:2379", "del", "--prefix", "/registry/pods/"]}`: "Deletes all of it for good",
		`"update_medication_order", "arguments": {"order_id": "RX-8", "drug": "enoxaparin", "new_dose": "80 mg"}`:                     "Changes",
		`"withdraw_student_enrolment", "arguments": {"matriculation_no": "11904427", "effective": "2025-05-31"}`:                      "Withdraws it",
		`"execute_sql", "arguments": {"sql": "UPDATE vendor_bank SET iban = 'LT60' WHERE id = 7"}`:                                    "Changes where money goes",
		`"suspend_account", "arguments": {"account": "cust_91"}`:                                                                      "Takes access away",
		`"release_quality_hold", "arguments": {"lot": "BRK-1", "skip_reinspection": true}`:                                            "Releases it",
		`"delete_file", "arguments": {"repo": "infra", "path": "a.tf", "message": "tidy", "branch": "main"}`:                          "Deletes",
		`"schedule_downtime", "arguments": {"scope": "env:prod"}`:                                                                     "Mutes alerts",
		`"execute_command", "arguments": {"command": "ssh web1 'systemctl restart nginx'", "requires_approval": false}`:               "Restarts it",
		`"bash", "arguments": {"command": "docker compose stop grafana && docker volume rm grafana_data"}`:                            "Deletes for good",
		`"bash", "arguments": {"command": "systemctl stop auditd; auditctl -e 0"}`:                                                    "Switches off a control",
		`"bash", "arguments": {"command": "usermod -aG sudo kb"}`:                                                                     "Grants access as administrator",
		`"bash", "arguments": {"command": "Add-ADGroupMember -Identity Finance -Members jp"}`:                                         "Grants access",
		`"query", "arguments": {"statement": "DELETE FROM a WHERE b = 1", "role": "SYSADMIN"}`:                                        "Deletes",
	} {
		action, err := canon.Parse([]byte(`{"function": ` + call + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := of(t, action).Consequence; got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}
