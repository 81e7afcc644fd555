import { isRedactionMarker, markTexts, type RedactionMarker } from './redaction-marker';
import {
  isNamedSecret,
  isNameField,
  isPrivateKeyMember,
  isSecretName,
  isSecretOption,
  isValueField,
} from './secret-name';
import type { Mark } from './secrets/placeholder';
import { redactFreeText } from './secrets/redact-free-text';

/**
 * Redacts JSON whose keys were chosen by people, such as the metadata of a Node: texts and numbers below a key that
 * names a secret become markers, and so does the secret part of any other text. Long texts are cut.
 */
export function redactJson<T>(json: T, marker: RedactionMarker): T {
  return redactValue(json, markTexts(marker), false) as T;
}

function redactValue(json: unknown, mark: Mark, secret: boolean): unknown {
  if (Array.isArray(json)) {
    return json.map((item, index) => {
      const before: unknown = json[index - 1];
      const isArgument = typeof before === 'string' && isSecretOption(before);
      return redactValue(item, mark, secret || isArgument);
    });
  }
  if (typeof json === 'object' && json !== null) return redactObject(json, mark, secret);
  if (typeof json === 'string' && json.includes('PRIVATE KEY-----')) return mark(json);
  const isText = (typeof json === 'string' && json !== '') || typeof json === 'number';
  if (secret && isText) return isRedactionMarker(String(json)) ? json : mark(String(json));
  return typeof json === 'string' ? redactFreeText(json, mark) : json;
}

function redactObject(json: object, mark: Mark, secret: boolean): object {
  const isKey = 'kty' in json;
  const entries = Object.entries(json);
  const names = entries.flatMap(([key, value]) =>
    isNameField(key) && typeof value === 'string' ? [value] : [],
  );
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const isPaired = isValueField(key) && names.some((name) => isSecretMember(name, value));
      const isSecret = secret || isPaired || isSecretMember(key, value) || (isKey && isPrivateKeyMember(key));
      return [redactFreeText(key, mark), redactValue(value, mark, isSecret)];
    }),
  );
}

/** A name that names a secret only together with its value says nothing about an object. */
function isSecretMember(name: string, value: unknown): boolean {
  if (typeof value === 'string') return isNamedSecret(name, value);
  return isSecretName(name);
}
