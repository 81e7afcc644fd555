import type { Explanation } from '../explain/schema';
import { compareProof } from './compare-proof';
import type { Proof } from './schema';

/** Names of header fields and of parameters of a path whose values are credentials. */
const secretName = /auth|cookie|token|secret|passw|credential|session|signature|api[-_]?key|^x-amz-/i;
/** A shorter part of a credential, such as "1", would be found everywhere. */
const leastChars = 4;
const redacted = '[redacted]';

/**
 * A report of a bug as JSON: the comparison, the trace, the observation and the config of the twin. The credentials of the request
 * are replaced wherever they occur, also where a step of the trace quotes them.
 */
export function buildReport(proof: Proof, explanation: Explanation): string {
  const secrets = findSecrets(explanation.request);
  const report = { comparison: compareProof(explanation, proof), explanation, proof };
  return JSON.stringify(
    report,
    (_, value: unknown) => (typeof value === 'string' ? withoutSecrets(value, secrets) : value),
    2,
  );
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
}

/** The longest first, so that no part of one is left. */
function findSecrets({ headers, path }: Pick<Explanation['request'], 'headers' | 'path'>): string[] {
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
