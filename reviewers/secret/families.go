package secret

import (
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// family is one published format of a credential.
type family struct {
	name    string
	has     []string // literal texts, one of which a match contains: quicker to find than the pattern
	pattern visible.Pattern
	token   bool // the value alone has a format; no name beside it is needed
}

// distinct reports whether a match is certain even in binary data.
func (f *family) distinct() bool {
	return f.token || !slices.ContainsFunc(f.has, func(has string) bool { return len(has) < 8 })
}

// secretPart returns a value without its fixed prefix.
func (f *family) secretPart(value string) string {
	for _, p := range f.has {
		if rest, ok := strings.CutPrefix(value, p); ok && len(rest) >= 8 {
			return rest
		}
	}
	return value
}

// token returns a format whose value p matches alone. The value contains one of the words in has.
func token(name string, has string, p string) family {
	const before = `(?:^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-Fa-f]{2}|\\u[0-9a-f]{4})`
	f := shaped(name, has, before+`(`+p+`)(?:[^A-Za-z0-9]|$)`)
	f.token = true
	return f
}

// beside returns a format without a form of its own: the name to which the value is assigned must match named.
func beside(name string, has string, named, value string) family {
	return shaped(name, has, `(?i)`+named+`["'\]]{0,2}\s*(?::=|=>|=|:|,)\s*["']?(`+value+`)(?:[^A-Za-z0-9+/=_-]|$)`)
}

// shaped returns a format with the pattern p, whose last group is the value.
func shaped(name, has, p string) family {
	return family{name: name, has: strings.Fields(has), pattern: visible.NewPattern(p)}
}

// families are the formats in the manuals of their issuers; the last group of a pattern is the value.
var families = sync.OnceValue(func() []family {
	return []family{
		// Clouds and hosting.
		token("AWS access key", "AKIA ASIA", `(?:AKIA|ASIA)[A-Z0-9]{16}`),
		shaped("AWS secret key", "aws AWS Aws AKIA ASIA", `(?i)(?:aws.{0,20}secret.{0,20}[=:]\s*\\?["']?|`+
			`aws_secret_access_key\s+["']?|A[KS]IA[A-Z0-9]{16}:)([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`),
		token("Google API key", "AIza", `AIza[0-9A-Za-z_-]{35}`),
		token("Google OAuth client secret", "GOCSPX-", `GOCSPX-[0-9A-Za-z_-]{28}`),
		token("Google OAuth refresh token", "1//0", `1//0[0-9A-Za-z_-]{40,}`),
		shaped("Azure storage key", "AccountKey=", `AccountKey=([A-Za-z0-9+/]{86}==)`),
		shaped("Azure client secret", "Q~",
			`(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)`),
		token("Alibaba Cloud access key", "LTAI", `LTAI[A-Za-z0-9]{20}`),
		token("Tencent Cloud secret id", "AKID", `AKID[A-Za-z0-9]{32}`),
		token("Yandex Cloud key", "AQVN", `AQVN[A-Za-z0-9_-]{35,38}`),
		token("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", `do[opr]_v1_[0-9a-f]{64}`),
		token("Heroku key", "HRKU-", `HRKU-[A-Za-z0-9_-]{36,64}`),
		beside("Heroku key", "heroku HEROKU Heroku", `heroku.{0,20}(?:key|token)`,
			`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
		token("Fly.io token", "fo1_ fm1r_ fm1a_ fm2_", `(?:fo1_[A-Za-z0-9_-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/=]{100,})`),
		token("Netlify token", "nfp_ nfc_ nfo_ nfu_", `nf[pcou]_[A-Za-z0-9_]{36,}`),
		token("Render key", "rnd_", `rnd_[A-Za-z0-9]{28,36}`),
		token("Deno Deploy token", "ddp_ ddw_", `dd[pw]_[A-Za-z0-9]{36}`),
		token("Supabase token", "sbp_ sb_secret_", `(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{31,})`),
		token("PlanetScale credential", "pscale_", `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}`),
		beside("Cloudflare token", "loudflare LOUDFLARE CF_",
			`(?:cloudflare|\bcf_).{0,20}(?:token|key)`, `[A-Za-z0-9_-]{37,40}`),
		token("Tailscale key", "tskey-", `tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]{6,}-[A-Za-z0-9]{20,}`),
		token("Pulumi token", "pul-", `pul-[0-9a-f]{40}`),
		token("Terraform Cloud token", ".atlasv1.", `[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}`),
		token("Vault token", "hvs. hvb. hvr.", `hv[sbr]\.[A-Za-z0-9_-]{24,}`),
		token("Doppler token", "dp.", `dp\.(?:pt|st|ct|scim|audit|sa|said)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}`),
		token("1Password service account", "ops_eyJ", `ops_eyJ[A-Za-z0-9+/_-]{200,}={0,3}`),
		token("Databricks token", "dapi", `dapi[0-9a-f]{32}(?:-[0-9])?`),

		// Code, packages and builds.
		token("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", `gh[pousr]_[A-Za-z0-9]{36,251}`),
		token("GitHub fine-grained token", "github_pat_", `github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`),
		token("GitLab token", "glpat- gldt- glrt- glptt- glsoat- glcbt- glft- glimt- glagent- gloas- glffct-",
			`gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent|oas|ffct)-[A-Za-z0-9_-]{20,64}`),
		token("Bitbucket app password", "ATBB", `ATBB[A-Za-z0-9]{28,32}[A-F0-9]{0,8}`),
		token("Atlassian token", "ATATT3 ATCTT3", `AT[AC]TT3[A-Za-z0-9_=-]{60,}`),
		token("npm token", "npm_", `npm_[A-Za-z0-9]{36}`),
		token("PyPI token", "pypi-AgEI", `pypi-AgEI[A-Za-z0-9_-]{50,}`),
		token("RubyGems key", "rubygems_", `rubygems_[0-9a-f]{48}`),
		token("crates.io token", "cio", `cio[A-Za-z0-9]{32}`),
		token("NuGet key", "oy2", `oy2[a-z0-9]{43}`),
		token("Clojars token", "CLOJARS_", `CLOJARS_[0-9a-f]{60}`),
		token("JFrog key", "AKCp", `AKCp[A-Za-z0-9]{69,70}`),
		token("Docker Hub token", "dckr_pat_ dckr_oat_", `dckr_[po]at_[A-Za-z0-9_-]{27,40}`),
		token("Buildkite token", "bkua_ bkct_", `bk(?:ua|ct)_[A-Za-z0-9]{40,64}`),
		token("CircleCI token", "CCIPAT_ CCIPRJ_", `CCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}`),
		token("Sonar token", "sqp_ squ_ sqa_", `sq[pua]_[0-9a-f]{40}`),
		token("Prefect key", "pnu_ pnb_", `pn[ub]_[A-Za-z0-9]{36}`),
		token("Postman key", "PMAK-", `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`),
		token("ReadMe key", "rdme_", `rdme_[a-z0-9]{70}`),
		token("Infracost key", "ico-", `ico-[A-Za-z0-9]{32}`),

		// Models.
		token("OpenAI key", "sk-",
			`sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})`),
		token("Anthropic key", "sk-ant-", `sk-ant-(?:api|admin|oat|ort)[0-9]{2}-[A-Za-z0-9_-]{80,}`),
		token("OpenRouter key", "sk-or-", `sk-or-v1-[0-9a-f]{64}`),
		token("Hugging Face token", "hf_ api_org_", `(?:hf|api_org)_[A-Za-z0-9]{34}`),
		token("Groq key", "gsk_", `gsk_[A-Za-z0-9]{52}`),
		token("Replicate token", "r8_", `r8_[A-Za-z0-9]{37}`),
		token("Perplexity key", "pplx-", `pplx-[A-Za-z0-9]{48,56}`),
		token("xAI key", "xai-", `xai-[A-Za-z0-9]{80}`),
		token("LangSmith key", "lsv2_", `lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}`),

		// Messages and people.
		token("Slack token", "xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xoxe. xoxc- xoxd-",
			`xox[abcdeprs](?:\.xox[bp])?-[0-9]{1,14}-[0-9A-Za-z-]{16,}`),
		token("Slack app token", "xapp-", `xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-[0-9a-f]{32,}`),
		shaped("Slack webhook", "hooks.slack.com/",
			`hooks\.slack\.com/(?:services|workflows|triggers)/(T?[A-Z0-9]{8,}/[AB0-9][A-Z0-9]{8,}/[A-Za-z0-9]{20,})`),
		shaped("Discord webhook", "/api/webhooks/",
			`discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,})`),
		beside("Discord bot token", "iscord ISCORD", `discord.{0,20}token`,
			`[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}`),
		token("Telegram bot token", ":AA", `[0-9]{8,10}:AA[A-Za-z0-9_-]{32,33}`),
		shaped("Teams webhook", ".webhook.office.com/",
			`\.webhook\.office\.com/webhookb2/([0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36})`),
		token("Twilio API key", "SK", `SK[0-9a-f]{32}`),
		beside("Twilio auth token", "wilio WILIO", `twilio.{0,20}token`, `[0-9a-f]{32}`),
		token("SendGrid key", "SG.", `SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`),
		token("Mailgun key", "key-", `key-[0-9a-f]{32}`),
		token("Mailchimp key", "-us", `[0-9a-f]{32}-us[0-9]{1,2}`),
		token("Brevo key", "xkeysib- xsmtpsib-", `x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}`),
		token("Resend key", "re_", `re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}`),
		token("Notion token", "ntn_ secret_", `(?:ntn_[A-Za-z0-9]{40,46}|secret_[A-Za-z0-9]{43})`),
		token("Airtable token", "pat", `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`),
		token("Figma token", "figd_", `figd_[A-Za-z0-9_-]{40,43}`),
		token("Linear key", "lin_api_ lin_oauth_", `lin_(?:api|oauth)_[A-Za-z0-9]{40,64}`),
		token("HubSpot token", "pat-na pat-eu",
			`pat-(?:na|eu)[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
		token("Contentful token", "CFPAT-", `CFPAT-[A-Za-z0-9_-]{43}`),
		token("Typeform token", "tfp_", `tfp_[A-Za-z0-9_.=-]{44,59}`),
		token("Frame.io token", "fio-u-", `fio-u-[A-Za-z0-9_=-]{64}`),

		// Money and shops.
		token("Stripe live key", "sk_live_ rk_live_", `[sr]k_live_[A-Za-z0-9]{20,}`),
		token("Stripe webhook secret", "whsec_", `whsec_[A-Za-z0-9+/]{32,}`),
		token("Square token", "sq0csp- sq0atp- EAAA", `(?:sq0(?:csp|atp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60})`),
		token("Shopify token", "shpat_ shpca_ shppa_ shpss_", `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`),
		shaped("Braintree token", "access_token$", `(access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32})`),
		token("Plaid token", "access-production-",
			`access-production-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
		token("Duffel token", "duffel_live_", `duffel_live_[A-Za-z0-9_-]{43}`),
		token("Shippo token", "shippo_live_", `shippo_live_[0-9a-f]{40}`),
		token("EasyPost key", "EZAK", `EZAK[A-Za-z0-9]{54}`),

		// Watching.
		token("New Relic key", "NRAK- NRAA- NRII-", `NR(?:AK|AA|II)-[A-Za-z0-9_-]{27,32}`),
		beside("Datadog key", "atadog ATADOG DD_", `(?:datadog|\bdd_).{0,10}key`, `[0-9a-f]{32}(?:[0-9a-f]{8})?`),
		token("Grafana token", "glsa_ glc_", `(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_eyJ[A-Za-z0-9+/]{60,}={0,2})`),
		token("Sentry token", "sntrys_ sntryu_", `(?:sntryu_[0-9a-f]{64}|sntrys_eyJ[A-Za-z0-9+/=_-]{80,})`),
		token("Dynatrace token", "dt0", `dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}`),
		token("PostHog key", "phx_", `phx_[A-Za-z0-9]{43,}`),
		token("LaunchDarkly key", "sdk-", `sdk-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`),
		token("Adafruit key", "aio_", `aio_[A-Za-z0-9]{28}`),

		token("age secret key", "AGE-SECRET-KEY-1", `AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`),
	}
})

const begins = `-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----`

var (
	pemHeader = visible.NewPattern(begins + `(.*)`)
	keyBody   = visible.NewPattern(`[A-Za-z0-9+/]{40,}`)
	pemBytes  = visible.NewPattern(begins +
		`(?:(?:\\+[nr]|\s)+[A-Z][A-Za-z-]{0,20}: [^\\\r\n]{0,80})*(?:\\+[nr]|\s)*([A-Za-z0-9+/]{40,})`)
)

// pemBlock matches a private key with its body, in a text or in JSON, and never ends inside an escaped line end.
var pemBlock = visible.NewPattern(begins + `(?:\\+[nr]|[^"\\]){0,200}?` +
	`([A-Za-z0-9+/=]{40,}(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{40,})*(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]+(?:\\+[nr]|\s)*-----END [A-Z ]+-----)?)`)

// KeyBelow returns the private key whose body begins in lines[0], and the index of its header. The lines are in reverse
// order.
func KeyBelow(lines []string) (at int, value string, ok bool) {
	at = slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "-----BEGIN ") })
	if at < 0 {
		return 0, "", false
	}
	m := pemHeader().FindStringSubmatch(lines[at])
	for i := at; m != nil && i >= 0; i-- {
		body := lines[i]
		if i == at {
			body = m[1] // header and body may share a line, in JSON for instance
		}
		if value = keyBody().FindString(body); value != "" && !Placeholder(value, value) {
			return at, value, i == 0
		}
	}
	return 0, "", false
}
