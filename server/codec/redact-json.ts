import { isRedactionMarker } from './redaction-marker';
import { isSecretName } from './secret-name';
import { isPrivateKeyMember } from './secrets/key-members';
import type { Mark } from './secrets/placeholder';
import { redactText } from './secrets/redact-text';

/**
 * JSON whose keys were chosen by people (a Node's metadata): text and numbers below a key that names a secret become
 * markers, and so does the secret part of any other text. `mark` turns a secret's text into its marker.
 */
export function redactJson(json: unknown, mark: Mark, secret = false): unknown {
  if (Array.isArray(json)) {
    return json.map((item, index) => redactJson(item, mark, secret || isSecretOption(json[index - 1])));
  }
  if (typeof json === 'object' && json !== null) {
    const isKey = 'kty' in json;
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) => [
        redactText(key, mark),
        redactJson(value, mark, secret || isSecretName(key) || (isKey && isPrivateKeyMember(key))),
      ]),
    );
  }
  if (typeof json === 'string' && json.includes('PRIVATE KEY-----')) return mark(json);
  const isText = (typeof json === 'string' && json !== '') || typeof json === 'number';
  if (secret && isText) return isRedactionMarker(String(json)) ? json : mark(String(json));
  return typeof json === 'string' ? redactText(json, mark) : json;
}

/** "--password" in a list of arguments: what follows it is the secret. */
function isSecretOption(before: unknown): boolean {
  return (
    typeof before === 'string' && before.startsWith('--') && !/[=\s]/.test(before) && isSecretName(before)
  );
}
