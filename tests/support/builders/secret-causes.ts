import { type PlantedSecret, randomCanary } from './secret-kinds';

/** Names from many vocabularies, in the spellings of headers, variables, members and parameters. */
const names = [
  ...[
    'DB_PASSWORD',
    'redis-passwd',
    'smtpPass',
    'ldap.bindpw',
    'wifi_psk',
    'kek',
    'PresharedKey',
    'admin_pw',
  ],
  ...['x-api-key', 'Ocp-Apim-Subscription-Key', 'dd_app_key', 'X-Application-Key', 'x-functions-key'],
  ...['Fastly-Key', 'x-honeycomb-team', 'x-auth', 'x-signature', 'x-jwt-assertion', 'X-Vault-Token'],
  ...['proxy-authorization', 'consumer_key', 'masterKey', 'aes_key', 'jwt-key', 'ssh_key', 'deployKey'],
  ...['webhook_secret', 'x-authz-key', 'license_key', 'code_verifier', 'SAMLResponse', 'identitytoken'],
  ...['routing_key', 'InstrumentationKey', 'session_id', 'hmac', 'otp_seed', 'connectionString'],
  ...[
    'signing.key',
    'access-token',
    'client_secret',
    'passwort',
    'contraseña',
    'пароль',
    'senha',
    'jwt',
    'sas',
  ],
];

type Form = readonly [form: string, write: (name: string, secret: string) => string];

/** The ways in which a text can give a secret a name. */
const forms: readonly Form[] = [
  ['JSON pair', (name, secret) => `[{"name":"${name}","value":"${secret}"}]`],
  ['YAML pair', (name, secret) => `env:\n- name: ${name}\n  value: ${secret}\nports: []`],
  ['JSON key and value', (name, secret) => `{"key": "${name}", "value": {"stringValue": "${secret}"}}`],
  ['XML pair', (name, secret) => `<e><name>${name}</name><value>${secret}</value></e>`],
  ['XML attributes', (name, secret) => `<add key="${name}" value="${secret}" />`],
  ['call of Lua', (name, secret) => `handle:headers():add("${name}", "${secret}")`],
  ['call in single quotes', (name, secret) => `headers.replace('${name}','${secret}');`],
  ['index of Lua', (name, secret) => `local h = { [":path"] = "/", ["${name}"]="${secret}" }`],
  ['long string of Lua', (name, secret) => `t["${name}"] = [[${secret}]]`],
  ['define of PHP', (name, secret) => `define('${name}', '${secret}');`],
  ['JSON member', (name, secret) => `{"a":1,"${name}":"${secret}","b":2}`],
  ['line of properties', (name, secret) => `user=x\n${name}=${secret}\nport=1`],
  ['YAML with a tag', (name, secret) => `user: x\n${name}: !!str ${secret}\n`],
  ['percent-encoded JSON', (name, secret) => `state=%7B%22${name}%22%3A%22${secret}%22%7D`],
  ['HTML', (name, secret) => `<pre data-x="{&quot;${name}&quot;:&quot;${secret}&quot;}">`],
  ['parameter', (name, secret) => `GET /v1?a=1&${name}=${secret}&b=2`],
];

const digits = (canary: string): string => canary.replace(/[a-f]/g, '7');
const upper = (canary: string): string => canary.toUpperCase();
const uuid = (canary: string): string =>
  [0, 8, 12, 16, 20].map((at, index) => canary.slice(at, [8, 12, 16, 20, 32][index])).join('-');

type Cause = readonly [
  kind: string,
  write: (secret: string) => string,
  secretOf?: (canary: string) => string,
];

const schemes: readonly Cause[] = [
  'ApiKey',
  'GenieKey',
  'SSWS',
  'NTLM',
  'Negotiate',
  'apikey',
  'Bearer',
  'Bot',
].flatMap((scheme): Cause[] => [
  [`${scheme} in a sentence`, (secret) => `upstream got ${scheme} ${secret} and failed`],
  [`${scheme} in quotes`, (secret) => `curl -H 'x-any: ${scheme} ${secret}'`],
  [`${scheme} in a URL`, (secret) => `https://h.example/?h=${scheme}%20${secret}&x=1`],
]);

const issuers: readonly Cause[] = [
  ['Azure DevOps', (s) => `token was ${s}${s}AZDO1aB2`, undefined],
  ['NuGet', (s) => `push with oy2${s}abc failed`],
  ['crates.io', (s) => `publish with cio${s} failed`, (c) => c.slice(0, 32)],
  ['Stripe organisation', (s) => `charge by sk_org_${s}`],
  ['Grafana legacy', (s) => `grafana eyJrIjoi${s}`],
  ['New Relic licence', (s) => `agent ${s}NRAL connected`, (c) => c.slice(0, 36)],
  ['Pinecone', (s) => `index pcsk_${s}`],
  ['LangSmith', (s) => `trace lsv2_pt_${s}`],
  ['Google AQ', (s) => `call with AQ.${s}`],
  ['Airtable', (s) => `base patAbCdEfGh123456.${s}`],
  ['Asana', (s) => `task 1/1204567890123456:${s}`, (c) => c.slice(0, 32)],
  ['Notion legacy', (s) => `page secret_${s}abc`],
  ['Dropbox', (s) => `file sl.u.${s}${s}`],
  ['LaunchDarkly SDK', (s) => `flags sdk-${s}`, uuid],
  ['LaunchDarkly API', (s) => `flags api-${s}`, uuid],
  ['Supabase', (s) => `db sb_secret_${s}`],
  ['Render', (s) => `deploy rnd_${s}`],
  ['Neon', (s) => `branch napi_${s}`],
  ['Contentful', (s) => `space CFPAT-${s}`],
  ['Twitch', (s) => `chat oauth:${s}`, (c) => c.slice(0, 30)],
  ['Firebase', (s) => `push AAAAabcdefg:APA91b${s}${s}`],
  ['Twitter', (s) => `feed AAAAAAAAAAAAAAAAAAAAA${s}`],
  ['Rancher', (s) => `cluster token-ab1cd:${s}abcdefghijklmn`],
  ['PASETO local', (s) => `session v4.local.${s}`],
  ['PASETO public', (s) => `session v2.public.${s}`],
  ['routable GitLab', (s) => `clone glpat-abcdefghijklmnopqrst.01.${s}`, (c) => c.slice(0, 9)],
];

const hashes: readonly Cause[] = [
  ['apr1', (s) => `user:$apr1$abcdefgh$${s}`, (c) => c.slice(0, 22)],
  ...['2a', '2b', '2y'].map((v): Cause => [`bcrypt ${v}`, (s) => `user:$${v}$10$${s}abcdefghijklm`]),
  ['SHA-256 crypt', (s) => `root:$5$rounds=5000$saltsalt$${s}:19000`],
  ['SHA-512 crypt', (s) => `root:$6$saltsalt$${s}:19000`],
  ['yescrypt', (s) => `root:$y$j9T$saltsalt$${s}:19000`],
  [
    'line of htpasswd',
    (s) => `user:{SHA}${s}=`,
    (c) => Buffer.from(c, 'hex').toString('base64').slice(0, 27),
  ],
  ['LDAP', (s) => `userPassword: {SSHA512}${s}`],
  ['SCRAM', (s) => `SCRAM-SHA-256$4096:c2FsdHNhbHQ=$${s}:c2VydmVya2V5`],
  ['argon2', (s) => `$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$${s}`],
  ['Django', (s) => `pbkdf2_sha256$600000$saltsalt$${s}`],
  ['Cisco type 5', (s) => `enable secret 5 $1$mERr$${s}`, (c) => c.slice(0, 22)],
  ['Cisco type 7', (s) => `username x password 7 ${s}`, upper],
];

const commands: readonly Cause[] = [
  ['AUTH of Redis', (s) => `redis> AUTH ${s}`],
  ['AUTH with a user', (s) => `redis> AUTH default ${s}`],
  ['requirepass', (s) => `port 6379\nrequirepass ${s}\n`],
  ['masterauth', (s) => `masterauth ${s}\nappendonly yes`],
  ['SNMP community', (s) => `snmp-server community ${s} RO`],
  ['short option', (s) => `login -u app -p ${s} registry.example`],
  ['mysql', (s) => `mysql -h db -u root -p${s} shop`],
  ['redis-cli', (s) => `redis-cli -h cache -a ${s} ping`],
  ['IDENTIFIED BY', (s) => `CREATE USER 'app'@'%' IDENTIFIED BY '${s}'`],
  ['IDENTIFIED WITH', (s) => `ALTER USER app IDENTIFIED WITH mysql_native_password BY '${s}'`],
  ['secure string', (s) => `ConvertTo-SecureString "${s}" -AsPlainText -Force`],
  ['secure string as option', (s) => `ConvertTo-SecureString -String '${s}' -AsPlainText`],
  ['setter', (s) => `client.setPassword("${s}");`],
  ['builder', (s) => `Client.builder().apiKey('${s}').build()`],
  ['constant of Lua', (s) => `local API_SECRET <const> = "${s}"`],
  ['tab of Lua', (s) => `h:add("x", "Bearer\\t${s}")`],
];

const below: readonly Cause[] = [
  ['map of tokens', (s) => `{"tokens":{"alice":"${s}","bob":"x1"}}`],
  ['map of YAML', (s) => `tokens: {alice: ${s}}`],
  ['list of YAML', (s) => `passwords:\n  - ${s}\n  - other1\nport: 1`],
  ['map below of YAML', (s) => `credentials:\n  alice: ${s}\nport: 1`],
  ['list in a line', (s) => `api_keys: [${s}, other]`],
  ['CDATA', (s) => `<password><![CDATA[${s}]]></password>`],
  ['endpoint', (s) => `u:${s}@h`],
  ['endpoint with a port', (s) => `upstream app.user:${s}@db.internal:5432 timed out`],
  ['endpoint in a list', (s) => `hosts=[a:${s}@h1,b:x1@h2]`],
  ['escaped key', (s) => `{"p\\u0061ssword":"${s}"}`],
  ['escaped quotes', (s) => `{\\u0022api_key\\u0022:\\u0022${s}\\u0022}`],
  ['entities in decimal', (s) => `{&#34;token&#34;:&#34;${s}&#34;}`],
  ['encoded assignment', (s) => `next=%2Fx%3Fpassword%3D${s}%26a%3D1`],
  ['encoded address', (s) => `to=postgres%3A%2F%2Fapp%3A${s}%40db%2Fx`],
  ['PIN', (s) => `{"pin":"${s}"}`, (c) => digits(c).slice(0, 10)],
];

/** Secrets by the cause of being one, each in a text that no rule was written for. */
export function plantCauses(): PlantedSecret[] {
  const named = names.flatMap((name) =>
    forms.map(([form, write]): Cause => [`${name} as ${form}`, (secret) => write(name, secret)]),
  );
  return [...named, ...schemes, ...issuers, ...hashes, ...commands, ...below].map(
    ([kind, write, secretOf = (canary: string) => canary]) => {
      const secret = secretOf(randomCanary());
      return { kind, text: write(secret), secret };
    },
  );
}
