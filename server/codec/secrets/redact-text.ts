import { isNamedSecret, isNameField, isSecretName, isValueField, looksSecret } from '../secret-name';
import { maskAssigned, nameCharacters } from './assigned-secrets';
import { knownTokens } from './known-tokens';
import { isNoSecret, type Mark } from './placeholder';
import { redactEncoded } from './redact-encoded';
import { mayHoldSecretValue } from './trigger-scan';
import { maskUserinfo } from './userinfo';

/** Commands whose argument is a secret: group 1 is kept and group 2 is the secret. */
const commands: readonly (readonly [
  name: string,
  pattern: RegExp,
  isSecret?: (secret: string, kept: string) => boolean,
])[] = [
  ['netrc', /(\blogin\s{1,8}\S{1,200}\s{1,8}password\s{1,8})(\S{1,1024})/g],
  [
    'quoted password',
    /(\b(?:password|passwd|passphrase|passcode|pwd)\s{1,4}\\{0,2}["'`])([^"'`\\]{1,1024})/gi,
  ],
  [
    'password in a sentence',
    /(\b(?:password|passwd|passphrase|passcode|pwd|secret|token|api key)\s{1,4}is\s{1,4}\\{0,2}["'`]?)([^\s"'`,;\\]{3,1024})/gi,
    (secret) => /\d/.test(secret),
  ],
  [
    'password of a statement',
    /(\bidentified\s{1,4}(?:with\s{1,4}\S{1,64}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?\\{0,2}["'`]?)([^\s"'`\\;]{1,1024})/gi,
    (secret) => secret.length > 2 && !/^(?:password|values?)$/i.test(secret),
  ],
  [
    'secure string',
    /(\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?\\{0,2}["']?)([^\s"'\\]{3,1024})/gi,
    (secret) => !/^[-$]/.test(secret),
  ],
  [
    'password of Redis',
    /(\b(?:AUTH|requirepass|masterauth|REQUIREPASS|MASTERAUTH)\s{1,4}(?:\w{1,32}\s{1,4})?\\{0,2}["']?)([^\s"'\\]{6,1024})/g,
    (secret, kept) => !kept.startsWith('AUTH') || looksSecret(secret),
  ],
  [
    'community of SNMP',
    /(\bsnmp-server\s{1,4}(?:community|user\s{1,4}\S{1,64}\s{1,4}auth\s{1,4}\w{1,8})\s{1,4})(\S{1,256})/gi,
  ],
  ['secret of a router', /(\b(?:secret|password|key)\s{1,4}\d\s{1,4})([^\s"']{6,256})/gi],
  [
    'short option',
    /((?<=^|\s)-[pPaWw][ =]\\{0,2}["']?)([^\s"'\\]{6,1024})/g,
    (secret) => looksSecret(secret) && !/[/:]/.test(secret),
  ],
  ['option of MySQL', /(\b(?:mysql|mysqldump|mysqladmin|mariadb)\s[^\n;|&]{0,200}?\s-p)([^\s"'\\]{3,1024})/g],
];

/** Masks one kind of secret in a text, in a time that is linear in the length of the text. */
interface ValueRule {
  readonly name: string;
  /** A text without the needle is skipped. */
  readonly needle: string;
  readonly mask: (text: string, mark: Mark) => string;
}

/** Builds a rule from a pattern whose group 1 is kept and whose group 2 is the secret. */
function byPattern(
  name: string,
  needle: string,
  pattern: RegExp,
  isSecret: (secret: string, kept: string) => boolean = () => true,
): ValueRule {
  return {
    name,
    needle,
    mask: (text, mark) =>
      text.replace(pattern, (whole: string, kept: string, secret: string) =>
        isNoSecret(secret) || kept.endsWith('hmac-sha256:') || !isSecret(secret, kept)
          ? whole
          : `${kept}${mark(secret)}${whole.slice(kept.length + secret.length)}`,
      ),
  };
}

/** In binary data, one byte before a token can look like a letter. */
const noWordBefore = '(?<![A-Za-z0-9+/]{2})';

const tokenRules = knownTokens.map(({ name, needle, pattern, startsWord }) =>
  byPattern(name, needle, new RegExp(`${startsWord === true ? noWordBefore : ''}()(${pattern})`, 'g')),
);
const anyToken = new RegExp(
  [...new Set(knownTokens.map(({ needle }) => needle))]
    .map((needle) => needle.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('|'),
);

function maskKnownTokens(text: string, mark: Mark): string {
  if (!anyToken.test(text)) return text;
  return tokenRules.reduce(
    (masked, rule) => (masked.includes(rule.needle) ? rule.mask(masked, mark) : masked),
    text,
  );
}

/** Matches headers:add("x-api-key", "..."), define('DB_PASSWORD', '...'). */
const calledWithName = new RegExp(
  String.raw`(\(\s{0,8}\\{0,4}["'\`]([${nameCharacters}]{1,100})\\{0,4}["'\`]\s{0,8},\s{0,8}(?:\\{0,4}["'\`]|\[\[))([^"'\`\\\]]{1,4096})`,
  'g',
);
/** Matches setPassword("..."). */
const namedCall = new RegExp(
  String.raw`((?<![${nameCharacters}])([${nameCharacters}]{1,100})\(\s{0,8}\\{0,4}["'\`])([^"'\`\\]{1,4096})(?=\\{0,4}["'\`]\s{0,8}\))`,
  'g',
);
/** These functions read a secret that the argument names. */
const reading = /(?:^|[.:])(?:get|find|has|read|load|fetch|is|parse|decode|lookup|require|resolve)/i;

/** More specific rules come first; masked parts are not matched again. */
export const valueRules: readonly ValueRule[] = [
  byPattern(
    'PEM private key',
    'PRIVATE KEY',
    /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)([^-]{1,65536}(?:-(?!----)[^-]{0,4096}){0,64})/g,
    (body) => /[^\s*\\nr]/.test(body),
  ),
  byPattern('SSH2 private key', 'SSH2', /(---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----)([^-]{1,65536})/g),
  byPattern(
    'PuTTY private key',
    'Private-Lines',
    /(Private-Lines: \d{1,4}\\{0,2}[rn\s]{1,4})([A-Za-z0-9+/=\s\\]{16,65536})/g,
  ),
  byPattern(
    'PEM private key in base64',
    'LS0tLS1CRUdJTi',
    /()(LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{16,65536}={0,2})/g,
    holdsPrivateKey,
  ),
  { name: 'JWK private member', needle: 'kty', mask: maskKeyMembers },
  byPattern(
    'credential of an HTTP scheme',
    '',
    /(\b(?:bearer|apikey|geniekey|ssws|ntlm|negotiate|bot)(?:\s{1,4}|\\{1,4}t|%20|\+))([A-Za-z0-9._~+/%=-]{6,16384})/gi,
    isCredential,
  ),
  byPattern(
    'Basic credential',
    '',
    /(\bbasic(?:\s{1,4}|%20))([A-Za-z0-9+/_-]{6,4096}={0,2})/gi,
    isCredential,
  ),
  { name: 'JWT', needle: 'eyJ', mask: maskJwts },
  { name: 'known token', needle: '', mask: maskKnownTokens },
  { name: 'userinfo', needle: '@', mask: maskUserinfo },
  { name: 'element of XML', needle: '</', mask: maskElements },
  byPattern(
    'argument',
    '--',
    /((?<![\w-])--?[\w.-]{1,100}[ \t]{1,8}\\{0,2}["']?)((?!-)[^\s"'`\\]{3,4096})/g,
    (_, kept) => /^--/.test(kept) && isSecretName(kept.replace(/["'\\\s]{1,20}$/, '')),
  ),
  byPattern(
    'argument in a list',
    '--',
    /(\\{0,4}["']--[\w.-]{1,100}\\{0,4}["']\s{0,8},\s{0,8}\\{0,4}["'])([^"'\\]{1,4096})/g,
    (_, kept) => isSecretName(kept.replace(/[^\w.-]{1,40}$/, '')),
  ),
  byPattern(
    'argument user:password',
    '-u',
    /((?<=^|\s)(?:-u|--user|--proxy-user)[ =]["']?[^\s:"'@/]{1,100}:)([^\s"']{1,256})/g,
  ),
  ...commands.map(([name, pattern, isSecret]) => byPattern(name, '', pattern, isSecret)),
  {
    name: 'literal behind the literal of a name',
    needle: '(',
    mask: (text, mark) =>
      text.replace(calledWithName, (whole: string, kept: string, name: string, secret: string) =>
        isNamedSecret(name, secret) && !isNoSecret(secret)
          ? `${kept}${mark(secret)}${whole.slice(kept.length + secret.length)}`
          : whole,
      ),
  },
  {
    name: 'argument of a function',
    needle: '(',
    mask: (text, mark) =>
      text.replace(namedCall, (whole: string, kept: string, name: string, secret: string) =>
        isSecretName(name) && !reading.test(name) && !isNoSecret(secret) ? `${kept}${mark(secret)}` : whole,
      ),
  },
  { name: 'assignment', needle: '', mask: maskAssigned },
];

const textBytes = Buffer.alloc(64 * 1024);
/** UTF-8 has at most three bytes for a character of a string. */
const mostInPlace = textBytes.length / 3;

/** Returns whether a rule could match; false for nearly all texts. */
function mayHoldSecret(text: string): boolean {
  if (text.length > mostInPlace) return mayHoldSecretValue(Buffer.from(text));
  return mayHoldSecretValue(textBytes, 0, textBytes.write(text));
}

/** Masks every secret that is recognised by its value, each once. Returns the same text if there is none. */
export function redactText(text: string, mark: Mark): string {
  if (text.length < 6 || !mayHoldSecret(text)) return text;
  const unquoted = redactQuoted(text, (quoted) => redactText(quoted, mark));
  return redactEncoded(applyValueRules(unquoted, mark), (decoded) => applyValueRules(decoded, mark));
}

export function applyValueRules(text: string, mark: Mark): string {
  let masked = text;
  for (const rule of valueRules) {
    if (rule.needle === '' || masked.includes(rule.needle)) masked = rule.mask(masked, mark);
  }
  return masked;
}

function holdsPrivateKey(base64: string): boolean {
  return Buffer.from(base64.slice(0, 128), 'base64').toString('latin1').includes('PRIVATE KEY');
}

/** Rejects words, as in "Bearer token", and names, as in "token_type=bearer expires_in=3600". */
function isCredential(value: string): boolean {
  return !/^[a-z_]{2,40}=[^=]/.test(value) && !/^[A-Za-z][a-z]*(?:[.,/-][a-z]{0,40})*[.,]?$/.test(value);
}

/** Masks a JWT or JWE, from the "eyJ" of its header to the last character of a token. */
function maskJwts(text: string, mark: Mark): string {
  return text.replace(/[A-Za-z0-9_.-]{20,}/g, (run) => {
    for (let at = run.indexOf('eyJ'); at !== -1; ) {
      const dot = run.indexOf('.', at);
      if (dot === -1) return run;
      if (dot - at >= 10 && run.length - dot > 4) {
        const jwt = run.slice(at).replace(/\.$/, '');
        return `${run.slice(0, at)}${mark(jwt)}${run.slice(at + jwt.length)}`;
      }
      at = run.indexOf('eyJ', dot);
    }
    return run;
  });
}

/** Masks private members of a JWK (RFC 7518, 6.2.2, 6.3.2 and 6.4.1). */
function maskKeyMembers(text: string, mark: Mark): string {
  if (!/\bkty\b/.test(text)) return text;
  return text.replace(
    /(?<![\w-])((?:d|p|q|dp|dq|qi|k|r|t)\\{0,4}["']?\s{0,8}:\s{0,8}\\{0,4}["']?)([A-Za-z0-9_=+/-]{8,16384})/g,
    (_, kept: string, secret: string) => `${kept}${mark(secret)}`,
  );
}

const element =
  /(<([\w.:-]{1,100})(?:\s[^<>]{0,200})?>\s{0,8}(?:<!\[CDATA\[)?)([^<>\]]{1,4096})(?=(?:\]\]>)?\s{0,8}<\/)/g;

/** Masks <password>value</password>, and the value of <name>DB_PASSWORD</name><value>x</value>. */
function maskElements(text: string, mark: Mark): string {
  let pair = '';
  return text.replace(element, (whole: string, opening: string, name: string, content: string) => {
    const secret = content.trim();
    const isNamed =
      isNamedSecret(name, secret) || (pair !== '' && isValueField(name) && isNamedSecret(pair, secret));
    pair = isNameField(name) ? secret : '';
    return isNamed && !isNoSecret(secret) ? `${opening}${mark(content)}` : whole;
  });
}

/**
 * Redacts the content of each JSON string with escapes, because an escaped line break or quotation mark decides what is
 * a secret. It is linear, because each level of quotation at least doubles the backslashes.
 */
function redactQuoted(text: string, redact: (text: string) => string): string {
  if (!text.includes('\\')) return text;
  let redacted = '';
  let copiedTo = 0;
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = findEnd(text, start + 1);
    if (end === -1) break;
    const content = parse(text.slice(start, end + 1));
    const changed = content === undefined ? undefined : redact(content);
    if (changed !== undefined && changed !== content) {
      redacted += text.slice(copiedTo, start) + JSON.stringify(changed);
      copiedTo = end + 1;
    }
    start = text.indexOf('"', end + 1);
  }
  return redacted + text.slice(copiedTo);
}

/** Returns the place of the closing quotation mark, or -1 if there is none. */
function findEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** Returns undefined if the text is no JSON string or has no escapes. */
function parse(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return undefined;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
