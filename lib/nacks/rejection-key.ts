import type { ResourceKey } from '../observation/observation';
import { normaliseNackText } from './normalise-nack-text';
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
