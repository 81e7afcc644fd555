import { isSecretName } from './secret-name';

/**
 * JSON whose keys were chosen by people (a Node's metadata): text and numbers below a key that names a secret become
 * markers. `mark` turns a secret's text into its marker.
 */
export function redactJson(json: unknown, mark: (secret: string) => string, secret = false): unknown {
  if (Array.isArray(json)) return json.map((item) => redactJson(item, mark, secret));
  if (typeof json === 'object' && json !== null) {
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) => [key, redactJson(value, mark, secret || isSecretName(key))]),
    );
  }
  if (typeof json === 'string' && json.includes('PRIVATE KEY-----')) return mark(json);
  const isText = (typeof json === 'string' && json !== '') || typeof json === 'number';
  return secret && isText ? mark(String(json)) : json;
}
