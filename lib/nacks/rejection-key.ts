import type { ResourceKey } from '../observation/observation';
import { parseNackText } from './parse-nack-text';
import { statementsOfResource } from './statements-of-resource';

/**
 * Equal for equal NACKs: same type, same resource, and the same said of it, in whatever order and beside whatever
 * else. What a client says on the wire, of all resources at once, and in CSDS, of one, comes to the same.
 */
export function rejectionKey(resource: ResourceKey, text: string): string {
  const said = statementsOfResource(parseNackText(text), resource).map(({ fieldPath = '', reason }) =>
    normaliseNackText(`${fieldPath} ${reason}`),
  );
  return JSON.stringify([resource.typeUrl, resource.name, ...new Set(said.sort())]);
}

/** What differs from client to client and from push to push though the NACK is the same. */
const incidental: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<id>'],
  [/\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi, '<id>'],
  [/\b(?:ipv[46]:)?\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![.\w])/g, '<address>'],
  [/(?:ipv6:)?\[[0-9a-f]*:[0-9a-f:.%]*\](?::\d+)?/gi, '<address>'],
  [/\b(nonce|version|version_info)([:= ]+)"?[\w./:+-]*\d[\w./:+-]*"?/gi, '$1$2<reported>'],
  [/\bresource index \d+\b/g, 'resource index <n>'],
];

/**
 * Equal for the same NACK of another client, another push or another vantage: without nonces, versions, addresses,
 * ports, hexadecimal ids, and however wide its white space is (Go's own varies from process to process).
 */
export function normaliseNackText(text: string): string {
  const reported = incidental.reduce((sofar, [pattern, shown]) => sofar.replace(pattern, shown), text);
  return reported.replace(/\s+/g, ' ').trim();
}
