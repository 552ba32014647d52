package headline_test

import (
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

// What stops isn't deleted, and a command that is handed over as a list is read as one.
func TestConsequencesOfCommands(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		`"shutdown -h now"`: "Ends what runs",
		`"reboot"`:          "Ends what runs",
		`"pkill -f worker"`: "Ends what runs",
		`"kubectl scale deploy/web --replicas=0"`: "Ends what runs",
		`"gcloud compute instances stop web-1"`:   "Ends what runs",
		`"gcloud compute instances delete web-1"`: "Deletes for good",
		`"crontab -r"`:                        "Changes what runs by itself",
		`"tee /etc/sudoers.d/runner"`:         "Changes access or what runs",
		`"rclone sync a: b: --dry-run"`:       "Only reads",
		`"rclone sync a: b: --dry-run=false"`: "Deletes for good",
		`["etcdctl", "--endpoints=https://10.20.0.11:2379", "del", "--prefix", "/registry/pods/"]`: "Deletes all of it for good",
	} {
		action, err := canon.Parse([]byte(`{"function": "shell", "arguments": {"command": ` + command + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := of(t, action).Consequence; got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
