/** A kind of token that has a prefix of its issuer, or a unique shape. */
interface KnownToken {
  readonly name: string;
  /** The pattern must be linear: every quantifier has an upper limit, or is last in the pattern. */
  readonly pattern: string;
  /** Every such token contains one of these texts of four characters; see trigger-scan.ts. */
  readonly triggers: readonly string[];
  /** A text that every such token contains. */
  readonly needle: string;
  /** True if a UUID follows the trigger. */
  readonly precedesUuid?: boolean;
  /** True for a prefix of letters and digits only, which is not a sign of a token within base64. */
  readonly startsWord?: boolean;
}

const word = '[A-Za-z0-9_-]';
const alnum = '[A-Za-z0-9]';
const hex = '[0-9a-f]';

/** These triggers replace prefixes that begin like a common word. */
const rareParts: Readonly<Record<string, string>> = {
  access_token$: 'ken$',
  'access-sandbox-': 'ss-s',
  'access-production-': 'ss-p',
  'access-development-': 'ss-d',
  github_pat_: '_pat',
  shippo_live_: 'ppo_',
  shippo_test_: 'ppo_',
  secret_: 'ret_',
  'oauth:': 'uth:',
  AAAAAAAAAAAAAAAA: 'AAAA',
};

/** Builds tokens of a prefix that `rest` follows. */
function prefixed(name: string, prefixes: readonly string[], rest: string): KnownToken[] {
  return prefixes.map((prefix) => ({
    name,
    needle: prefix,
    startsWord: /^[A-Za-z0-9]+$/.test(prefix),
    pattern: `${prefix.replace(/[.$]/g, '\\$&')}${rest}`,
    triggers:
      prefix.length < 4 ? expanded(prefix, anyOf('A-Za-z0-9./')) : [rareParts[prefix] ?? prefix.slice(0, 4)],
  }));
}

/** Appends each character to a prefix that is too short to search for, such as "sk-". */
function expanded(prefix: string, characters: string): string[] {
  return [...characters].map((character) => `${prefix}${character}`);
}

export const knownTokens: readonly KnownToken[] = [
  // Cloud providers.
  ...prefixed('AWS access key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], '[A-Z0-9]{12,124}'),
  ...prefixed('AWS Bedrock key', ['ABSKQmVkcm9ja'], '[A-Za-z0-9+/=]{20,}'),
  ...prefixed('Google API key', ['AIza'], `${word}{30,}`),
  ...prefixed('Google OAuth access token', ['ya29.'], `${word}[A-Za-z0-9_.-]{15,}`),
  ...prefixed('Google OAuth client secret', ['GOCSPX-'], `${word}{20,}`),
  { name: 'Google refresh token', needle: '1//0', pattern: `1//0${word}{20,}`, triggers: ['1//0'] },
  ...prefixed('Alibaba access key', ['LTAI'], `${alnum}{12,30}`),
  ...prefixed('Tencent secret id', ['AKID'], `${alnum}{13,40}`),
  ...prefixed('Yandex API key', ['AQVN'], `${word}{30,}`),
  ...prefixed('DigitalOcean token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], `${hex}{32,}`),
  ...prefixed('Heroku API key', ['HRKU-'], `${word}{20,}`),
  ...prefixed('Fly.io token', ['fo1_'], `${word}{20,}`),
  ...prefixed('Fly.io token', ['fm2_', 'fm1_', 'fm1r_', 'fm2r_'], '[A-Za-z0-9+/=_,-]{20,}'),
  {
    name: 'Azure AD client secret',
    needle: 'Q~',
    pattern: `${alnum}{3}[78]Q~[A-Za-z0-9_.~-]{31,40}`,
    triggers: ['7Q~', '8Q~'].flatMap((text) => expanded(text, anyOf('A-Za-z0-9_.~-'))),
  },
  // Git hosting and continuous integration.
  ...prefixed('GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], `${alnum}{16,}`),
  ...prefixed('GitHub fine-grained token', ['github_pat_'], '[A-Za-z0-9_]{20,}'),
  ...prefixed(
    'GitLab token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- glffct- gloas- GR1348941'.split(' '),
    `${word}{16,}(?:\\.[0-9a-z]{2}\\.[0-9a-z]{7,12})?`,
  ),
  ...prefixed('Atlassian token', ['ATATT3', 'ATCTT3'], '[A-Za-z0-9_=-]{20,}'),
  ...prefixed('Bitbucket app password', ['ATBB'], `${alnum}{24,}`),
  ...prefixed('CircleCI token', ['CCIPAT_', 'CCIPRJ_'], `${word}{20,}`),
  ...prefixed('Buildkite token', ['bkua_', 'bkaj_'], `${alnum}{20,}`),
  ...prefixed('SonarQube token', ['sqp_', 'squ_', 'sqa_'], `${hex}{32,}`),
  ...prefixed('JFrog key', ['AKCp'], `${alnum}{20,}`),
  ...prefixed('JFrog reference token', ['cmVmdGtu'], `${alnum}{20,}`),
  ...prefixed('Snyk token', ['snyk_uat.', 'snyk_sat.'], '[A-Za-z0-9_.-]{20,}'),
  // Chat.
  ...prefixed(
    'Slack token',
    ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.'],
    '[A-Za-z0-9._%-]{10,}',
  ),
  ...prefixed('Slack app token', ['xapp-'], `${word}{10,}`),
  {
    name: 'Slack webhook',
    needle: 'hooks.slack.com',
    pattern: '(?<=hooks\\.slack\\.com/(?:services|workflows|triggers)/)[A-Za-z0-9+/]{12,}',
    triggers: ['ks.s'],
  },
  {
    name: 'Discord webhook',
    needle: '/api/webhooks/',
    pattern: `(?<=discord(?:app)?\\.com/api/webhooks/\\d{5,25}/)${word}{20,}`,
    triggers: ['oks/'],
  },
  {
    name: 'Microsoft Teams webhook',
    needle: 'webhookb2',
    pattern: '(?<=\\.webhook\\.office\\.com/webhookb2/)[A-Za-z0-9@/-]{20,}',
    triggers: ['ookb'],
  },
  {
    name: 'Telegram bot token',
    needle: ':AA',
    pattern: `\\d{8,10}:AA${word}{32,34}`,
    triggers: expanded(':AA', anyOf('A-Za-z0-9_-')),
  },
  // Payment.
  ...prefixed(
    'Stripe key',
    ['sk_live_', 'sk_test_', 'sk_org_', 'rk_live_', 'rk_test_', 'whsec_'],
    `[A-Za-z0-9+/=]{10,}`,
  ),
  ...prefixed('Square token', ['sq0atp-', 'sq0csp-', 'sq0idp-'], `${word}{20,}`),
  ...prefixed('Square or Facebook access token', ['EAAA', 'EAAC'], `${word}{40,}`),
  ...prefixed(
    'PayPal or Braintree token',
    ['access_token$'],
    '(?:production|sandbox)\\$[0-9a-z]{8,}\\$[0-9a-f]{16,}',
  ),
  ...prefixed('Razorpay key', ['rzp_live_', 'rzp_test_'], `${alnum}{10,}`),
  ...prefixed(
    'Plaid token',
    ['access-sandbox-', 'access-production-', 'access-development-'],
    `${word}{20,}`,
  ),
  ...prefixed('Flutterwave key', ['FLWSECK'], `${word}{12,}`),
  ...prefixed('Shopify token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], `${hex}{24,}`),
  ...prefixed('EasyPost key', ['EZAK', 'EZTK'], `${alnum}{40,}`),
  // Package registries.
  ...prefixed('npm token', ['npm_'], `${alnum}{24,}`),
  ...prefixed('PyPI token', ['pypi-'], `${word}{16,}`),
  ...prefixed('RubyGems key', ['rubygems_'], `${hex}{32,}`),
  ...prefixed('Docker Hub token', ['dckr_pat_', 'dckr_oat_'], `${word}{16,}`),
  ...prefixed('Clojars token', ['CLOJARS_'], `${alnum}{30,}`),
  // Mail and telephony.
  {
    name: 'SendGrid key',
    needle: 'SG.',
    pattern: `SG\\.${word}{16,64}\\.${word}{16,}`,
    triggers: expanded('SG.', anyOf('A-Za-z0-9_-')),
  },
  ...prefixed('Brevo key', ['xkeysib-', 'xsmtpsib-'], `${word}{20,}`),
  { name: 'Mailgun key', needle: 'key-', pattern: `key-${hex}{32}`, triggers: ['key-'] },
  {
    name: 'Mailchimp key',
    needle: '-us',
    pattern: `${hex}{32}-us\\d{1,2}`,
    triggers: expanded('-us', '0123456789'),
  },
  {
    name: 'Twilio key',
    needle: 'SK',
    startsWord: true,
    pattern: `SK${hex}{32}`,
    triggers: anyPairs('SK', '0123456789abcdef'),
  },
  // Secrets, infrastructure and observability.
  ...prefixed('Vault token', ['hvs.', 'hvb.', 'hvr.'], `${word}{20,}`),
  {
    name: 'Terraform Cloud token',
    needle: '.atlasv1.',
    pattern: `${alnum}{10,20}\\.atlasv1\\.${word}{20,}`,
    triggers: ['asv1'],
  },
  ...prefixed('Doppler token', ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.'], '[A-Za-z0-9_.-]{20,}'),
  ...prefixed('Pulumi token', ['pul-'], `${hex}{32,}`),
  ...prefixed('age secret key', ['AGE-SECRET-KEY-1'], '[0-9A-Z]{20,}'),
  ...prefixed('1Password service account', ['ops_eyJ'], `${word}{20,}`),
  ...prefixed('Grafana token', ['glc_', 'glsa_'], '[A-Za-z0-9+/=_]{20,}'),
  ...prefixed('New Relic key', ['NRAK-', 'NRII-', 'NRJS-'], `${alnum}{16,}`),
  ...prefixed('Sentry token', ['sntrys_', 'sntryu_'], '[A-Za-z0-9+/=_]{20,}'),
  ...prefixed('Dynatrace token', ['dt0c01.', 'dt0s01.', 'dt0s16.'], '[A-Z0-9]{20,30}\\.[A-Z0-9]{32,}'),
  ...prefixed('Elastic API key', ['essu_'], '[A-Za-z0-9+/=_-]{20,}'),
  ...prefixed('Tailscale key', ['tskey-'], `${word}{16,}`),
  ...prefixed('PlanetScale token', ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], '[A-Za-z0-9_.=-]{20,}'),
  ...prefixed('Databricks token', ['dapi'], `${hex}{32}`),
  ...prefixed('Supabase token', ['sbp_'], `${hex}{32,}`),
  ...prefixed('Netlify token', ['nfp_', 'nfc_', 'nfo_'], `${alnum}{20,}`),
  ...prefixed('Postman key', ['PMAK-', 'PMAT-'], `${word}{20,}`),
  ...prefixed('Prefect key', ['pnu_'], `${alnum}{30,}`),
  // Models.
  ...prefixed(
    'model provider key',
    ['sk-proj-', 'sk-svcacct-', 'sk-ant-', 'sk-admin-', 'sk-or-'],
    `${word}{16,}`,
  ),
  ...prefixed('model provider key', expanded('sk-', anyOf('A-Za-z0-9')), `${alnum}{30,}`),
  ...prefixed(
    'Hugging Face token',
    ['hf_'].flatMap((text) => expanded(text, anyOf('A-Za-z'))),
    `${alnum}{24,}`,
  ),
  ...prefixed('Groq key', ['gsk_'], `${alnum}{30,}`),
  ...prefixed('xAI key', ['xai-'], `${alnum}{30,}`),
  ...prefixed('Perplexity key', ['pplx-'], `${alnum}{30,}`),
  ...prefixed(
    'Replicate token',
    ['r8_'].flatMap((text) => expanded(text, anyOf('A-Za-z0-9'))),
    `${alnum}{30,}`,
  ),
  // Other services.
  ...prefixed('Linear key', ['lin_api_', 'lin_oauth_'], `${alnum}{24,}`),
  ...prefixed('Notion token', ['ntn_'], `${alnum}{24,}`),
  ...prefixed('Figma token', ['figd_', 'figo_', 'figu_'], `${word}{20,}`),
  ...prefixed('Duffel token', ['duffel_live_', 'duffel_test_'], `${word}{20,}`),
  ...prefixed('Shippo token', ['shippo_live_', 'shippo_test_'], `${hex}{24,}`),
  ...prefixed('Typeform token', ['tfp_'], `${word}{30,}`),
  ...prefixed('Adafruit key', ['aio_'], `${alnum}{24,}`),
  ...prefixed('ReadMe key', ['rdme_'], `${alnum}{40,}`),
  ...prefixed('Frame.io token', ['fio-u-'], `${word}{30,}`),
  {
    name: 'Azure DevOps token',
    needle: 'AZDO',
    pattern: `${alnum}{40,80}AZDO${alnum}{4}`,
    triggers: ['AZDO'],
  },
  {
    name: 'NuGet key',
    needle: 'oy2',
    startsWord: true,
    pattern: 'oy2[a-z0-9]{43}',
    triggers: expanded('oy2', anyOf('a-z0-9')),
  },
  {
    name: 'crates.io token',
    needle: 'cio',
    startsWord: true,
    pattern: `cio${alnum}{32}`,
    triggers: expanded('cio', anyOf('A-Za-z0-9')),
  },
  { name: 'Grafana key', needle: 'eyJrIjoi', pattern: 'eyJrIjoi[A-Za-z0-9+/=]{20,}', triggers: ['eyJr'] },
  { name: 'New Relic license key', needle: 'NRAL', pattern: '[0-9a-f]{32,40}NRAL', triggers: ['NRAL'] },
  ...prefixed('Pinecone key', ['pcsk_'], '[A-Za-z0-9_]{30,}'),
  ...prefixed('LangSmith key', ['lsv2_'], '[A-Za-z0-9_]{30,}'),
  {
    name: 'Google API key of an account',
    needle: 'AQ.',
    startsWord: true,
    pattern: `AQ\\.${word}{30,}`,
    triggers: expanded('AQ.', anyOf('A-Za-z0-9_-')),
  },
  {
    name: 'Airtable token',
    needle: 'pat',
    startsWord: true,
    pattern: `pat${alnum}{14}\\.${hex}{32,64}`,
    triggers: expanded('pat', anyOf('A-Za-z0-9')),
  },
  {
    name: 'Asana token',
    needle: '/',
    pattern: `[0-2]/\\d{12,20}(?:/\\d{12,20})?:${hex}{32}`,
    triggers: [...'012'].flatMap((digit) => expanded(`${digit}/1`, '0123456789')),
  },
  ...prefixed('Notion token', ['secret_'], `${alnum}{40,}`),
  {
    name: 'Dropbox token',
    needle: 'sl.',
    startsWord: true,
    pattern: `sl\\.(?:u\\.)?${word}{60,}`,
    triggers: expanded('sl.', anyOf('A-Za-z0-9_-')),
  },
  {
    name: 'LaunchDarkly key',
    needle: '-',
    pattern: `(?:sdk|api|mob)-${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`,
    triggers: ['sdk-', 'api-', 'mob-'],
    precedesUuid: true,
  },
  ...prefixed('Supabase secret key', ['sb_secret_'], `${word}{20,}`),
  ...prefixed('Render key', ['rnd_'], `${alnum}{24,}`),
  ...prefixed('Neon key', ['napi_'], `${alnum}{32,}`),
  ...prefixed('Contentful token', ['CFPAT-'], `${word}{30,}`),
  ...prefixed('Twitch token', ['oauth:'], '[a-z0-9]{28,40}'),
  {
    name: 'Firebase server key',
    needle: ':APA91b',
    pattern: `AAAA${word}{7}:APA91b${word}{60,}`,
    triggers: ['PA91'],
  },
  ...prefixed('Twitter bearer token', ['AAAAAAAAAAAAAAAA'], '[A-Za-z0-9%]{30,}'),
  { name: 'Rancher token', needle: 'token-', pattern: 'token-[a-z0-9]{5}:[a-z0-9]{40,}', triggers: ['ken-'] },
  {
    name: 'PASETO',
    needle: 'v',
    pattern: `v[1-4]\\.(?:local|public)\\.${word}{20,}(?:\\.${word}{1,1024})?`,
    triggers: [...'1234'].flatMap((version) => [`v${version}.l`, `v${version}.p`]),
  },
  // Hashes of passwords.
  ...prefixed(
    'hash of a password',
    ['$apr1$', '$1$', '$5$', '$6$', '$y$', '$8$', '$9$', '$14$'],
    '[A-Za-z0-9./=$]{16,200}',
  ),
  ...prefixed('hash of a password', ['$2a$', '$2b$', '$2x$', '$2y$'], '\\d\\d\\$[A-Za-z0-9./]{40,60}'),
  ...prefixed('hash of a password', ['$argon2'], '(?:id|i|d)\\$[A-Za-z0-9+/=,$.]{20,512}'),
  ...prefixed('hash of a password', ['$scrypt$', '$pbkdf2'], '[A-Za-z0-9+/=,$._-]{20,512}'),
  {
    name: 'hash of a password',
    needle: 'SHA',
    pattern: '\\{S?SHA(?:\\d{1,3})?\\}[A-Za-z0-9+/]{20,200}={0,2}',
    triggers: ['SHA}', 'A256', 'A512', 'A224', 'A384'],
  },
  {
    name: 'hash of a password',
    needle: 'SCRAM-SHA-',
    pattern:
      'SCRAM-SHA-\\d{1,3}\\$\\d{1,8}:[A-Za-z0-9+/=]{8,200}\\$[A-Za-z0-9+/=]{8,200}:[A-Za-z0-9+/=]{8,200}',
    triggers: ['RAM-'],
  },
  {
    name: 'hash of a password',
    needle: 'pbkdf2',
    pattern: 'pbkdf2[_:-]sha\\d{1,3}[$:][A-Za-z0-9+/=$:]{20,512}',
    triggers: ['bkdf'],
  },
  ...prefixed('Mapbox secret token', ['sk.eyJ'], '[A-Za-z0-9_.-]{20,}'),
];

function anyOf(ranges: string): string {
  const pattern = new RegExp(`[${ranges}]`);
  return Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
    .filter((character) => pattern.test(character))
    .join('');
}

function anyPairs(prefix: string, characters: string): string[] {
  return expanded(prefix, characters).flatMap((text) => expanded(text, characters));
}
