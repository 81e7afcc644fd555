import type { ResourceKey } from '../observation/resource-state';
import { parseNackText } from './parse-nack-text';
import { statementsOfResource } from './statements-of-resource';

/**
 * Returns equal keys for NACKs of one resource with the same errors, in any order. The text of a NACK on a stream, which is
 * about several resources, and the text in CSDS, which is about one, have equal keys.
 */
export function rejectionKey(resource: ResourceKey, text: string): string {
  const statements = statementsOfResource(parseNackText(text), resource);
  const errors =
    statements.length === 0
      ? [normaliseNackText(text)]
      : statements.map(({ fieldPath = '', hint, reason }) =>
          normaliseNackText(`${hint?.message ?? ''} ${fieldPath} ${reason}`),
        );
  return JSON.stringify([resource.typeUrl, resource.name, ...new Set(errors.sort())]);
}

/** Parts that differ between clients and pushes although the NACK is the same. */
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
 * Normalises the text of a NACK for other clients, pushes and vantages: removes nonces, versions, addresses, ports and
 * hexadecimal ids, and collapses white space, which Go varies from process to process.
 */
export function normaliseNackText(text: string): string {
  const reported = incidental.reduce((sofar, [pattern, shown]) => sofar.replace(pattern, shown), text);
  return reported.replace(/\s+/g, ' ').trim();
}
