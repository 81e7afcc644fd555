import { parseNackText } from '../../nacks/parse-nack-text';
import type { ResourceState } from '../../observation/resource-state';
import { CDS, EDS, LDS, RDS } from '../../xds/resource-type';

/** Types that istiod alone delivers: pilot-agent has certificates of its own. */
const delivered: ReadonlySet<string> = new Set([LDS, RDS, CDS, EDS].map(({ typeUrl }) => typeUrl));

/** Envoy rejects clusters and listeners one by one, and applies the others of the response. */
const isOfParts = /^Error adding\/updating (cluster|listener)\(s\) /;

/**
 * The answer to the newest response that carried a resource, which follows from what a control plane reports of the whole
 * type: istiod reports whether the client has ACKED or NACKED the newest response of the type. `own`: the resource as Envoy's
 * admin interface reports it, which shows that it was delivered, and reports no answer. Undefined: it does not follow.
 */
export function findTypeAnswer(
  own: ResourceState,
  type: ResourceState | undefined,
): 'ACKED' | 'NACKED' | undefined {
  if (type === undefined || own.stage === undefined || own.isStatic) return undefined;
  if (!delivered.has(own.typeUrl)) return undefined;
  if (type.configStatus === 'SYNCED') return 'ACKED';
  if (type.configStatus !== 'ERROR') return undefined;
  if (namesIn(type).has(own.name)) return 'NACKED';
  return isOfParts.test(type.errorState?.details ?? '') ? 'ACKED' : undefined;
}

const read = new WeakMap<ResourceState, ReadonlySet<string>>();

/** The resources that the text of the NACK names. */
function namesIn(type: ResourceState): ReadonlySet<string> {
  const known = read.get(type);
  if (known !== undefined) return known;
  const text = type.errorState?.details ?? '';
  const names = new Set(parseNackText(text).flatMap(({ resourceName = [] }) => resourceName));
  read.set(type, names);
  return names;
}
