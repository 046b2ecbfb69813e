package rules

import (
	"strings"
)

// family is one published format of a credential.
type family struct {
	name    string
	has     []string // one of these stands in the line; spares the pattern
	pattern *pattern
}

// secretPart is what of a value should be random: all but a fixed prefix.
func (f family) secretPart(value string) string {
	for _, p := range f.has {
		if rest, ok := strings.CutPrefix(value, p); ok && len(rest) >= 8 {
			return rest
		}
	}
	return value
}

// families are the formats as their issuers document them (token prefixes and
// lengths in the manuals of each). The last group of a pattern is the value.
// Formats without a prefix of their own are left out, but for two that stand
// beside their issuer's name.
var families = []family{
	{"AWS access key", []string{"AKIA", "ASIA"}, token(`(?:AKIA|ASIA)[A-Z2-7]{16}`)},
	{"AWS secret key", []string{"aws", "AWS", "Aws"}, lazily(`(?i)aws.{0,20}secret.{0,20}[=:]\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`)},
	{"Google API key", []string{"AIza"}, token(`AIza[0-9A-Za-z_-]{35}`)},
	{"Google OAuth client secret", []string{"GOCSPX-"}, token(`GOCSPX-[0-9A-Za-z_-]{28}`)},
	{"Azure storage key", []string{"AccountKey="}, lazily(`AccountKey=([A-Za-z0-9+/]{86}==)`)},
	{"Azure client secret", []string{"Q~"}, lazily(`(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)`)},
	{"GitHub token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, token(`gh[pousr]_[A-Za-z0-9]{36}`)},
	{"GitHub fine-grained token", []string{"github_pat_"}, token(`github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`)},
	{"GitLab token", []string{"glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-"}, token(`gl(?:pat|dt|rt|ptt|soat|cbt)-[A-Za-z0-9_-]{20,64}`)},
	{"Slack token", []string{"xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"}, token(`xox[abeprs]-[0-9]{8,14}-[0-9A-Za-z-]{16,}`)},
	{"Slack app token", []string{"xapp-"}, token(`xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-[0-9a-f]{32,}`)},
	{"Slack webhook", []string{"hooks.slack.com/"}, lazily(`hooks\.slack\.com/(?:services|workflows)/(T[A-Z0-9]{8,}/[AB][A-Z0-9]{8,}/[A-Za-z0-9]{20,})`)},
	{"Stripe live key", []string{"sk_live_", "rk_live_"}, token(`[sr]k_live_[A-Za-z0-9]{20,}`)},
	{"Stripe webhook secret", []string{"whsec_"}, token(`whsec_[A-Za-z0-9]{32,}`)},
	{"Twilio auth token", []string{"wilio", "WILIO"}, lazily(`(?i)twilio.{0,20}token.{0,10}[=:]\s*["']?([0-9a-f]{32})(?:[^0-9a-f]|$)`)},
	{"SendGrid key", []string{"SG."}, token(`SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`)},
	{"Mailgun key", []string{"key-"}, token(`key-[0-9a-f]{32}`)},
	{"npm token", []string{"npm_"}, token(`npm_[A-Za-z0-9]{36}`)},
	{"PyPI token", []string{"pypi-AgEI"}, token(`pypi-AgEI[A-Za-z0-9_-]{50,}`)},
	{"RubyGems key", []string{"rubygems_"}, token(`rubygems_[0-9a-f]{48}`)},
	{"crates.io token", []string{"cio"}, token(`cio[A-Za-z0-9]{32}`)},
	{"Docker Hub token", []string{"dckr_pat_"}, token(`dckr_pat_[A-Za-z0-9_-]{27}`)},
	{"Hugging Face token", []string{"hf_"}, token(`hf_[A-Za-z0-9]{34}`)},
	{"OpenAI key", []string{"sk-"}, token(`sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})`)},
	{"Anthropic key", []string{"sk-ant-"}, token(`sk-ant-(?:api|admin)[0-9]{2}-[A-Za-z0-9_-]{80,}`)},
	{"Telegram bot token", []string{":AA"}, token(`[0-9]{8,10}:AA[A-Za-z0-9_-]{33}`)},
	{"Discord webhook", []string{"/api/webhooks/"}, lazily(`discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,})`)},
	{"Shopify token", []string{"shpat_", "shpca_", "shppa_", "shpss_"}, token(`shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`)},
	{"Square token", []string{"sq0csp-", "sq0atp-"}, token(`sq0(?:csp|atp)-[A-Za-z0-9_-]{22,43}`)},
	{"DigitalOcean token", []string{"dop_v1_", "doo_v1_", "dor_v1_"}, token(`do[opr]_v1_[0-9a-f]{64}`)},
	{"New Relic key", []string{"NRAK-"}, token(`NRAK-[A-Z0-9]{27}`)},
	{"Terraform Cloud token", []string{".atlasv1."}, token(`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}`)},
	{"Vault token", []string{"hvs.", "hvb."}, token(`hv[sb]\.[A-Za-z0-9_-]{24,}`)},
	{"Databricks token", []string{"dapi"}, token(`dapi[0-9a-f]{32}`)},
	{"Grafana token", []string{"glsa_"}, token(`glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}`)},
	{"Linear key", []string{"lin_api_"}, token(`lin_api_[A-Za-z0-9]{40}`)},
	{"Postman key", []string{"PMAK-"}, token(`PMAK-[0-9a-f]{24}-[0-9a-f]{34}`)},
	{"age secret key", []string{"AGE-SECRET-KEY-1"}, token(`AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`)},
}

// token is a pattern whose value stands alone: neither side continues it.
func token(p string) *pattern {
	return lazily(`(?:^|[^A-Za-z0-9_-])(` + p + `)(?:[^A-Za-z0-9_]|$)`)
}
