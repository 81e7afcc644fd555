import type { Explanation } from './schema';

/** Names of header fields and of parameters of a path whose values are credentials. */
const secretName = /auth|cookie|token|secret|passw|credential|session|signature|api[-_]?key|^x-amz-/i;
/** A shorter part of a credential, such as "1", would be found everywhere. */
const leastChars = 4;
const redacted = '[redacted]';

type ShownRequest = Pick<Explanation['request'], 'headers' | 'path'>;

/** The value as JSON. The credentials of the request are replaced wherever they occur, also where a step of a trace quotes them. */
export function formatWithoutCredentials(value: unknown, request: ShownRequest, indent = 0): string {
  const secrets = findSecrets(request);
  return JSON.stringify(
    value,
    (_, each: unknown) => (typeof each === 'string' ? withoutSecrets(each, secrets) : each),
    indent,
  );
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
}

/** The longest first, so that no part of one is left. */
function findSecrets({ headers, path }: ShownRequest): string[] {
  const parameters = [...path.matchAll(/[?&;]([^=&;#]+)=([^&;#]*)/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  const values = [...headers, ...parameters].flatMap(([name, value]) =>
    secretName.test(name) ? [value, ...value.split(/[\s;,=]+/)] : [],
  );
  return [...new Set(values)]
    .filter((value) => value.length >= leastChars && !/^(?:Bearer|Basic|Digest)$/i.test(value))
    .sort((a, b) => b.length - a.length);
}
