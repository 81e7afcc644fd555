/** A name that ends with one of these words names a secret. */
const secretWords = new Set(
  `password passwords passwd pwd passphrase passcode secret secrets token credential credentials
  authorization cookie apikey pkcs12`.split(/\s+/),
);
/** These words make a last "key" or "keys" a secret key; a plain "key" names none. */
const secretKeyWords = new Set(
  `private api access secret signing encryption hmac auth shared account session ticket`.split(/\s+/),
);
/** These last words describe the encoding of the value, and are ignored. */
const wrapperWords = new Set(
  `data value values bytes base64 b64 string text pem inline encoded`.split(/\s+/),
);

/** Matches several words written as one, as in "dbpassword". */
const runTogether =
  /(?:password|passwd|passphrase|(?:private|secret|access|api)key|(?:client|api)secret|(?:auth|access|refresh|session|api|id)token)$/;

const answers = new Map<string, boolean>();

/**
 * Returns whether a name chosen by people (a Struct's key, a header, an environment variable) names a secret. Only the
 * last words decide, so that "token_bucket", "tokenEndpoint" and "secret_name" remain readable.
 */
export function isSecretName(name: string): boolean {
  const known = answers.get(name);
  if (known !== undefined) return known;
  const answer = endsWithSecretWord(name);
  if (answers.size < 10_000 && name.length < 200) answers.set(name, answer);
  return answer;
}

function endsWithSecretWord(name: string): boolean {
  const words = name
    .slice(-200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  while (words.length > 1 && wrapperWords.has(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  if (secretWords.has(last)) return true;
  if (runTogether.test(last)) return true;
  return (last === 'key' || last === 'keys') && secretKeyWords.has(words.at(-2) ?? '');
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
