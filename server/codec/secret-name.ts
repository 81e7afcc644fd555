/**
 * The only list of names of secrets. It applies to keys of a Struct, headers, parameters, and assignments in texts
 * and code. The last words of a name decide, so that "token_bucket", "tokenEndpoint" and "secret_name" remain
 * readable.
 */
const list = {
  /** A name that ends with one of these words names a secret. */
  strong: `password passwords passwd pwd pass pw passphrase passcode bindpw userpw psk presharedkey secret secrets token
    tokens credential credentials authorization cookie apikey pkcs12 identitytoken mnemonic kek masterkey
    passwort kennwort contraseña contrasena senha motdepasse wachtwoord lösenord losenord heslo hasło haslo
    salasana adgangskode jelszó parola şifre sifre пароль парола 密码 密碼 パスワード 비밀번호`,
  /** These words also name what is not a secret. Their value must look like one. */
  weak: `session sessionid sid jsessionid phpsessid auth bearer jwt sig signature code pin otp totp salt seed hmac sas dsn
    webhook`,
  /** Pairs of last words, as in "x-jwt-assertion". */
  weakPairs: `connection-string jwt-assertion saml-response saml-assertion client-assertion honeycomb-team code-verifier
    session-id license-key routing-key recovery-phrase seed-phrase pass-phrase pass-word mot-passe`,
  /** These words make a last "key" or "keys" a secret key; a plain "key" names none. */
  keys: `private api access secret signing signature encryption decryption hmac auth authz shared account session ticket
    subscription app application functions function fastly consumer instrumentation integration ingestion master aes jwt
    ssh gpg pgp rsa deploy webhook server storage admin service root cipher crypto wrapping preshared bot bearer`,
};

const split = (text: string): string[] => text.trim().split(/\s+/);
const strongWords = new Set(split(list.strong));
const weakWords = new Set(split(list.weak));
const weakPairs = new Set(split(list.weakPairs));
const secretKeyWords = new Set(split(list.keys));
/** These last words describe the encoding of the value, and are ignored. */
const wrapperWords = new Set(
  `data value values bytes base64 b64 string text pem inline encoded`.split(/\s+/),
);
/** "max_tokens" counts tokens. */
const quantities = new Set(
  `max min num number total count used initial remaining per prompt completion input output fill`.split(
    /\s+/,
  ),
);

/** Matches several words written as one, as in "dbpassword". */
const runTogether =
  /(?:password|passwd|passphrase|passwort|(?:private|secret|access|api|subscription|application|consumer|master|signing|encryption|preshared|shared|instrumentation)key|(?:client|api|app|consumer)secret|(?:auth|access|refresh|session|api|id|identity|bearer)token)$/;
const weakRunTogether = /(?:connectionstring|samlresponse|signature|webhookurl)$/;

/** The words of the list, in lower case. */
export const secretWords: readonly string[] = [...strongWords, ...weakWords];
export const secretPairs: readonly (readonly [first: string, last: string])[] = [...weakPairs].map((pair) => {
  const [first = '', last = ''] = pair.split('-');
  return [first, last];
});

/** Every secret name contains one of these texts, in any case. */
export const secretStems: readonly string[] = [...secretWords, ...secretPairs.map(([first]) => first), 'key'];

export type SecretName = 'strong' | 'weak' | undefined;

const answers = new Map<string, SecretName>();

/** Classifies a name chosen by people: a Struct's key, a header, an environment variable. */
export function classifyName(name: string): SecretName {
  if (answers.has(name)) return answers.get(name);
  const answer = classify(name);
  if (answers.size < 10_000 && name.length < 200) answers.set(name, answer);
  return answer;
}

export function isSecretName(name: string): boolean {
  return classifyName(name) === 'strong';
}

/** Returns whether a text below this name is secret as a whole. */
export function isNamedSecret(name: string, value: string): boolean {
  const kind = classifyName(name);
  return kind === 'strong' || (kind === 'weak' && looksSecret(value));
}

function classify(name: string): SecretName {
  const words = name
    .slice(-200)
    .normalize('NFC')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const last = (): string => words.at(-1) ?? '';
  const pair = (): string => words.slice(-2).join('-');
  if (weakPairs.has(pair())) return 'weak';
  while (words.length > 1 && wrapperWords.has(last())) words.pop();
  if (last() === 'tokens' && quantities.has(words.at(-2) ?? '')) return undefined;
  if (strongWords.has(last()) || runTogether.test(last())) return 'strong';
  if ((last() === 'key' || last() === 'keys') && secretKeyWords.has(words.at(-2) ?? '')) return 'strong';
  const isWeak = weakWords.has(last()) || weakPairs.has(pair()) || weakRunTogether.test(last());
  return isWeak ? 'weak' : undefined;
}

/** Returns whether a text is not a word, number, date or name of an algorithm. */
export function looksSecret(value: string): boolean {
  if (/^\d{4,10}$/.test(value)) return true;
  if (value.length < 8 || /[\s|]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (/^(?:hmac|sha|hs|rs|es|ps|aes|md)[-_]?[\w-]{0,12}$/i.test(value)) return false;
  const digits = value.slice(0, 200).replace(/\D/g, '').length;
  return digits >= 3 || (digits > 0 && /[a-z]/.test(value) && /[A-Z]/.test(value)) || isEncoded(value);
}

/** Returns whether a text without digits may be base64: in a name of several words, few letters are capital. */
function isEncoded(value: string): boolean {
  const start = value.slice(0, 200);
  if (!/^[A-Za-z+/=_-]{24,}$/.test(start)) return false;
  const shareOf = (letters: RegExp): number => start.replace(letters, '').length / start.length;
  return shareOf(/[^A-Z]/g) >= 1 / 3 && shareOf(/[^a-z]/g) >= 1 / 3;
}

/** Returns whether an option of a command line, such as "--password", has a secret as its next argument. */
export function isSecretOption(argument: string): boolean {
  return argument.startsWith('--') && !/[=\s]/.test(argument) && isSecretName(argument);
}

/** RFC 7518, 6.2.2, 6.3.2 and 6.4.1. */
const privateKeyMembers: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);

/** Returns whether a member of a JWK belongs to its private key. */
export function isPrivateKeyMember(name: string): boolean {
  return privateKeyMembers.has(name);
}

/** The two fields of pairs such as {name: DB_PASSWORD, value: x}, in lower case without separators. */
const nameFields = new Set(
  `name key header headername tag attribute variable parameter param env k`.split(' '),
);
const valueFields = new Set(
  `value val v values rawvalue stringvalue bytesvalue literal default defaultvalue exact prefix suffix contains
  exactmatch prefixmatch suffixmatch containsmatch stringmatch`.split(/\s+/),
);

const plainField = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

/** Returns whether the text of this field can name the secret that another field of the same message has. */
export function isNameField(name: string): boolean {
  return nameFields.has(plainField(name));
}

export function isValueField(name: string): boolean {
  return valueFields.has(plainField(name));
}
