// Checks pods with Kubernetes' pod security checks. Reads a JSON object per line, and writes a list of
// [reason, details] per line. tools/pod_security_samples.py compiles and runs this program.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

const longestLine = 1 << 24

type sample struct {
	Level    string
	Version  string
	Metadata metav1.ObjectMeta
	Spec     corev1.PodSpec
}

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	check(err)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, longestLine)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var each sample
		check(json.Unmarshal(in.Bytes(), &each))
		version, err := api.ParseVersion(each.Version)
		check(err)
		wanted := api.LevelVersion{Level: api.Level(each.Level), Version: version}
		result := policy.AggregateCheckResults(evaluator.EvaluatePod(wanted, &each.Metadata, &each.Spec))
		found := [][2]string{}
		for i, reason := range result.ForbiddenReasons {
			found = append(found, [2]string{reason, result.ForbiddenDetails[i]})
		}
		check(out.Encode(found))
	}
	check(in.Err())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
