import { createHash, randomInt } from 'node:crypto';

/** A kind of secret within a text. Only `secret` is to be masked in `text`. */
export interface PlantedSecret {
  readonly kind: string;
  readonly text: string;
  /** The part that must not leave the server. */
  readonly secret: string;
}

const seed = process.env.XDSCOPE_SEED ?? String(randomInt(2 ** 31));
let drawn = 0;

/** 40 hexadecimal digits that occur nowhere else in a test. XDSCOPE_SEED repeats the draws of a file of tests. */
export function randomCanary(): string {
  if (drawn === 0) process.stdout.write(`secrets are drawn with XDSCOPE_SEED=${seed}\n`);
  drawn += 1;
  return createHash('sha1').update(`${seed} ${drawn}`).digest('hex');
}

type Kind = readonly [kind: string, text: (secret: string) => string, secretOf?: (canary: string) => string];

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const upper = (canary: string): string => canary.toUpperCase();
const base64Of = (canary: string): string => base64(`${canary}!?`);

/** Tokens with a known prefix, within a sentence. */
const prefixes: readonly (readonly [string, string, ((canary: string) => string)?])[] = [
  ['AWS access key', 'AKIA', (canary) => upper(canary).slice(0, 16)],
  ['AWS temporary access key', 'ASIA', (canary) => upper(canary).slice(0, 16)],
  ['Google API key', 'AIza', (canary) => canary.slice(0, 35)],
  ['Google OAuth access token', 'ya29.'],
  ['Google OAuth client secret', 'GOCSPX-'],
  ['Google refresh token', '1//0'],
  ['Alibaba access key', 'LTAI', (canary) => canary.slice(0, 20)],
  ['Tencent secret id', 'AKID', (canary) => canary.slice(0, 32)],
  ['DigitalOcean token', 'dop_v1_'],
  ['Heroku key', 'HRKU-'],
  ['Fly.io token', 'fo1_'],
  ['GitHub personal token', 'ghp_'],
  ['GitHub OAuth token', 'gho_'],
  ['GitHub user token', 'ghu_'],
  ['GitHub server token', 'ghs_'],
  ['GitHub refresh token', 'ghr_'],
  ['GitHub fine-grained token', 'github_pat_'],
  ['GitLab personal token', 'glpat-'],
  ['GitLab deploy token', 'gldt-'],
  ['GitLab runner token', 'glrt-'],
  ['GitLab trigger token', 'glptt-'],
  ['Atlassian token', 'ATATT3xFfGF0'],
  ['Bitbucket app password', 'ATBB', (canary) => canary.slice(0, 32)],
  ['CircleCI token', 'CCIPAT_'],
  ['Buildkite token', 'bkua_'],
  ['SonarQube token', 'sqp_'],
  ['JFrog key', 'AKCp8'],
  ['Slack bot token', 'xoxb-'],
  ['Slack user token', 'xoxp-'],
  ['Slack session token', 'xoxs-'],
  ['Slack app token', 'xapp-1-'],
  ['Slack webhook', 'https://hooks.slack.com/services/T0AB/B0CD/'],
  ['Discord webhook', 'https://discord.com/api/webhooks/123456789012345678/'],
  ['Telegram bot token', '123456789:AA', (canary) => canary.slice(0, 33)],
  ['Stripe live key', 'sk_live_'],
  ['Stripe test key', 'sk_test_'],
  ['Stripe restricted key', 'rk_live_'],
  ['Stripe webhook secret', 'whsec_'],
  ['Square access token', 'sq0atp-'],
  ['Square secret', 'sq0csp-'],
  ['Braintree token', 'access_token$production$abcdef0123456789$', (canary) => canary.slice(0, 32)],
  ['Razorpay key', 'rzp_live_'],
  ['Plaid token', 'access-production-'],
  ['Shopify token', 'shpat_', (canary) => canary.slice(0, 32)],
  ['npm token', 'npm_', (canary) => canary.slice(0, 36)],
  ['PyPI token', 'pypi-AgEIcHlwaS5vcmc'],
  ['RubyGems key', 'rubygems_'],
  ['Docker Hub token', 'dckr_pat_'],
  ['Clojars token', 'CLOJARS_'],
  ['SendGrid key', 'SG.abcdefghijklmnopqrstuv.'],
  ['Brevo key', 'xkeysib-'],
  ['Mailgun key', 'key-', (canary) => canary.slice(0, 32)],
  ['Twilio key', 'SK', (canary) => canary.slice(0, 32)],
  ['Vault token', 'hvs.'],
  ['Terraform Cloud token', 'abcdefghij1234.atlasv1.'],
  ['Doppler token', 'dp.pt.'],
  ['Pulumi token', 'pul-'],
  ['age secret key', 'AGE-SECRET-KEY-1', upper],
  ['Grafana cloud token', 'glc_'],
  ['Grafana service token', 'glsa_'],
  ['New Relic key', 'NRAK-'],
  ['Sentry token', 'sntrys_'],
  ['Dynatrace token', 'dt0c01.ABCDEFGHIJKLMNOPQRSTUVWX.', upper],
  ['Elastic key', 'essu_'],
  ['Tailscale key', 'tskey-auth-'],
  ['PlanetScale password', 'pscale_pw_'],
  ['Databricks token', 'dapi', (canary) => canary.slice(0, 32)],
  ['Supabase token', 'sbp_'],
  ['Netlify token', 'nfp_'],
  ['Postman key', 'PMAK-'],
  ['OpenAI project key', 'sk-proj-'],
  ['Anthropic key', 'sk-ant-api03-'],
  ['model provider key', 'sk-'],
  ['Hugging Face token', 'hf_a'],
  ['Groq key', 'gsk_'],
  ['Replicate token', 'r8_'],
  ['Linear key', 'lin_api_'],
  ['Notion token', 'ntn_'],
  ['Figma token', 'figd_'],
];

const kinds: readonly Kind[] = [
  ...prefixes.map(
    ([kind, prefix, secretOf]): Kind => [
      kind,
      (secret) => `login failed with ${prefix}${secret}, try later`,
      secretOf,
    ],
  ),
  ['Mailchimp key', (secret) => `login failed with ${secret}-us12`, (canary) => canary.slice(0, 32)],
  ['Azure client secret', (secret) => `login failed with abc8Q~${secret}`, (canary) => canary.slice(0, 34)],
  // JWTs.
  ['JWT', (secret) => `Jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.${secret} is not valid`],
  [
    'claims of a JWT',
    (secret) => `Jwt eyJhbGciOiJIUzI1NiJ9.${secret}.abcdef is not valid`,
    (canary) => base64url(`{"sub":"${canary}"}`),
  ],
  ['JWT without signature', (secret) => `eyJhbGciOiJub25lIn0.${secret}.`],
  ['JWE', (secret) => `eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..${secret}.abc.def`],
  ['JWT after an equals sign', (secret) => `id=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.${secret}`],
  // Schemes of HTTP authentication.
  ['Bearer', (secret) => `sent Bearer ${secret} to upstream`],
  ['bearer in lower case', (secret) => `curl -H "authorization: bearer ${secret}"`],
  ['Basic', (secret) => `sent Basic ${secret} to upstream`, (canary) => base64(`user:${canary}`)],
  ['Authorization line', (secret) => `GET / HTTP/1.1\r\nAuthorization: Token ${secret}\r\nHost: x`],
  ['Digest', (secret) => `Authorization: Digest username="u", response="${secret}"`],
  ['AWS signature', (secret) => `Authorization: AWS4-HMAC-SHA256 Credential=x/y, Signature=${secret}`],
  ['Cookie line', (secret) => `Cookie: theme=dark; session=${secret}`],
  ['Set-Cookie line', (secret) => `Set-Cookie: sid=${secret}; HttpOnly`],
  ['X-Api-Key line', (secret) => `X-Api-Key: ${secret}\nAccept: */*`],
  // Addresses.
  ['userinfo', (secret) => `cannot reach https://admin:${secret}@host.example/path`],
  ['userinfo without a name', (secret) => `redis://:${secret}@cache:6379/0`],
  ['userinfo without a password', (secret) => `https://${secret}@git.example/repo.git`],
  ['userinfo with a slash', (secret) => `postgres://app:a/${secret}@db:5432/x`],
  ['userinfo with an at sign', (secret) => `postgres://app:a@${secret}@db:5432/x`],
  ['userinfo with escaped slashes', (secret) => `{"url":"https:\\/\\/admin:${secret}@host\\/path"}`],
  ['MongoDB address', (secret) => `mongodb+srv://app:${secret}@cluster.example/?retryWrites=true`],
  ['AMQP address', (secret) => `amqps://app:${secret}@queue.example:5671/vhost`],
  ['address without a scheme', (secret) => `proxy //user:${secret}@proxy.example:3128`],
  ['MySQL address of Go', (secret) => `app:${secret}@tcp(10.0.0.1:3306)/db?parseTime=true`],
  ['Oracle address', (secret) => `jdbc:oracle:thin:scott/${secret}@//db:1521/x`],
  ['access_token parameter', (secret) => `GET /v1/data?access_token=${secret}&page=2`],
  ['token parameter', (secret) => `https://host/x?page=2&token=${secret}#top`],
  ['api_key parameter', (secret) => `https://host/x?api_key=${secret}`],
  ['apikey parameter', (secret) => `https://host/x?apikey=${secret}`],
  ['client_secret parameter', (secret) => `grant_type=client_credentials&client_secret=${secret}&scope=x`],
  ['refresh_token parameter', (secret) => `grant_type=refresh_token&refresh_token=${secret}`],
  ['password parameter', (secret) => `username=x&password=${secret}&remember=1`],
  [
    'Azure signature parameter',
    (secret) => `https://x.blob.core.windows.net/c?sv=2022&sig=${secret}&se=2030`,
  ],
  ['AWS signature parameter', (secret) => `https://s3.example/x?X-Amz-Signature=${secret}&X-Amz-Date=1`],
  ['AWS security token parameter', (secret) => `https://s3.example/x?X-Amz-Security-Token=${secret}`],
  ['Google signature parameter', (secret) => `https://storage.example/x?X-Goog-Signature=${secret}`],
  ['session id parameter', (secret) => `https://host/x;jsessionid=${secret}?a=1`],
  // Connection strings.
  ['SQL Server connection string', (secret) => `Server=db;User Id=sa;Password=${secret};Encrypt=true`],
  ['Pwd of a connection string', (secret) => `Driver={x};Server=db;Uid=sa;Pwd=${secret};`],
  ['libpq connection string', (secret) => `host=db user=app password=${secret} sslmode=require`],
  [
    'libpq connection string in quotes',
    (secret) => `host=db password='${secret} x' sslmode=require`,
    (canary) => canary,
  ],
  ['JDBC connection string', (secret) => `jdbc:mysql://db/x?user=app&password=${secret}`],
  ['StackExchange.Redis connection string', (secret) => `cache:6380,password=${secret},ssl=True`],
  [
    'Azure storage connection string',
    (secret) => `AccountName=x;AccountKey=${secret};EndpointSuffix=y`,
    base64Of,
  ],
  [
    'Azure service bus connection string',
    (secret) => `Endpoint=sb://x/;SharedAccessKeyName=k;SharedAccessKey=${secret}`,
  ],
  ['Azure shared access signature', (secret) => `BlobEndpoint=https://x/;SharedAccessSignature=${secret}`],
  // Assignments in sentences, JSON, YAML, ini text and the like.
  ['password in a sentence', (secret) => `cannot log in with password=${secret}: denied`],
  ['password with blanks', (secret) => `cannot log in: password = ${secret} is wrong`],
  ['password in quotes', (secret) => `cannot log in with password "${secret}"`],
  ['password is', (secret) => `the password is ${secret}, change it`],
  ['token in a sentence', (secret) => `login with token: ${secret} failed`],
  ['secret in a sentence', (secret) => `client secret = ${secret}`],
  ['api key in a sentence', (secret) => `api_key=${secret} has expired`],
  ['passphrase', (secret) => `passphrase: ${secret}`],
  ['capitals', (secret) => `DB_PASSWORD=${secret}`],
  ['camel case', (secret) => `{clientSecret=${secret}}`],
  ['one word', (secret) => `dbpassword=${secret}`],
  ['JSON', (secret) => `{"user":"x","password":"${secret}","port":1}`],
  ['JSON in JSON', (secret) => JSON.stringify({ config: JSON.stringify({ apiKey: secret }) })],
  ['JSON in JSON in JSON', (secret) => JSON.stringify(JSON.stringify(JSON.stringify({ apiKey: secret })))],
  ['JSON with an escaped quote', (secret) => `{"password":"a\\"${secret}"}`],
  ['JSON with a list', (secret) => `{"tokens":["a1b2","${secret}"]}`],
  ['JSON5', (secret) => `{password: '${secret}'}`],
  ['YAML', (secret) => `user: x\npassword: ${secret}\nport: 1`],
  ['YAML with blanks in it', (secret) => `user: x\npassword: ab cd ${secret}\nport: 1`],
  ['YAML block', (secret) => `password: |\n  ${secret}\n  more\nport: 1`],
  ['YAML in quotes', (secret) => `password: "${secret}" # rotate`],
  ['ini text', (secret) => `[db]\nuser = x\npassword = ${secret}\n`],
  ['shell', (secret) => `export AWS_SECRET_ACCESS_KEY=${secret}`],
  ['shell in quotes', (secret) => `export API_TOKEN='${secret}'; run`],
  ['Ruby', (secret) => `:password => "${secret}"`],
  ['Go', (secret) => `password := "${secret}"`],
  ['Lua', (secret) => `local api_key = "${secret}"\nhandle:headers():add("x", api_key)`],
  ['properties', (secret) => `spring.datasource.password=${secret}`],
  ['npmrc', (secret) => `//registry.npmjs.org/:_authToken=${secret}`],
  ['npmrc of old', (secret) => `_auth=${secret}`],
  ['Docker configuration', (secret) => `{"auths":{"registry":{"auth":"${secret}"}}}`, base64Of],
  ['netrc', (secret) => `machine host login x password ${secret}`],
  ['kubeconfig', (secret) => `users:\n- user:\n    token: ${secret}\n`],
  ['XML', (secret) => `<user>x</user><password>${secret}</password>`],
  ['XML with attributes', (secret) => `<password encoding="plain">${secret}</password>`],
  ['text of a message', (secret) => `name: "s" password { inline_string: "${secret}" }`],
  ['JSON of a message', (secret) => `{"privateKey":{"inlineString":"${secret}"}}`],
  // Arguments.
  ['argument', (secret) => `app --password=${secret} --verbose`],
  ['argument after a blank', (secret) => `app --token ${secret} --verbose`],
  ['argument in a list', (secret) => `["app","--api-key","${secret}"]`],
  ['arguments of curl', (secret) => `curl -u admin:${secret} https://host/`],
  ['one hyphen', (secret) => `app -password=${secret}`],
  // Keys.
  ['PEM private key', (secret) => `x -----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY----- y`],
  ['PEM RSA key', (secret) => `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`],
  ['PEM EC key', (secret) => `-----BEGIN EC PRIVATE KEY-----\n${secret}\n-----END EC PRIVATE KEY-----`],
  [
    'OpenSSH key',
    (secret) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n-----END OPENSSH PRIVATE KEY-----`,
  ],
  [
    'PGP key',
    (secret) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${secret}\n-----END PGP PRIVATE KEY BLOCK-----`,
  ],
  [
    'PEM key on one line',
    (secret) => `{"k":"-----BEGIN PRIVATE KEY-----\\n${secret}\\n-----END PRIVATE KEY-----\\n"}`,
  ],
  ['PEM key that is cut short', (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}`],
  [
    'PEM key in base64',
    (secret) => `client-key-data: ${secret}`,
    (canary) => base64(`-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----\n`),
  ],
  ['PuTTY key', (secret) => `PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\n${secret}\nPrivate-MAC: ab`],
  ['RSA JWK', (secret) => `{"keys":[{"kty":"RSA","n":"abcdefghijkl","e":"AQAB","d":"${secret}"}]}`],
  ['RSA JWK with primes', (secret) => `{"kty":"RSA","n":"abcdefghijkl","p":"${secret}"}`],
  ['EC JWK', (secret) => `{"kty": "EC", "crv": "P-256", "x": "abcdefghijkl", "d": "${secret}"}`],
  ['symmetric JWK', (secret) => `{"k":"${secret}","kty":"oct"}`],
  [
    'JWK in JSON',
    (secret) => JSON.stringify({ jwks: JSON.stringify({ keys: [{ kty: 'OKP', d: secret }] }) }),
  ],
];

/** One secret of every kind. */
export function plantSecrets(): PlantedSecret[] {
  return kinds.map(([kind, textOf, secretOf = (canary: string) => canary]) => {
    const secret = secretOf(randomCanary());
    return { kind, text: textOf(secret), secret };
  });
}
