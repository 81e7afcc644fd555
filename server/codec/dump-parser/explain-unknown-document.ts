import { showName } from '../json/show-value';

const expected = 'expected a document with xDS resources in it';

type Named = readonly [members: readonly string[], name: string];

/** Members of requests, whose answers contain resources, in camelCase. */
const requests: readonly Named[] = [
  [['nodeMatchers'], 'a CSDS request: only the answer to it has resources'],
  [['responseNonce'], 'a DiscoveryRequest: only the answer to it has resources'],
  [['resourceNames'], 'a DiscoveryRequest: only the answer to it has resources'],
  [['node', 'typeUrl'], 'a DiscoveryRequest: only the answer to it has resources'],
  [['resourceNamesSubscribe'], 'a DeltaDiscoveryRequest: only the answer to it has resources'],
  [['clusterStats'], 'a load report, which has none: load is read as it is reported, and not of files'],
  [
    ['xdsServers'],
    'a bootstrap of gRPC, which has none: started with --bootstrap, xdscope subscribes at its servers',
  ],
];
/** Members of other documents that may contain resources. */
const others: readonly Named[] = [
  [
    ['workloads', 'policies'],
    'a config dump of ztunnel, which has workloads, services and policies of Istio and no xDS resources of Envoy: import the config_dump of a sidecar, gateway or waypoint, or add a probe of istio.workload.Address',
  ],
  [
    ['Version', 'Items'],
    'a snapshot of a control plane of go-control-plane, as /snapshots/xds of Gloo and kgateway, whose resources are structs of Go and no protobuf JSON: import /config_dump?include_eds of the Envoy that it serves',
  ],
  [['apiVersion', 'kind'], 'an object of Kubernetes: what its control plane makes of it is xDS'],
];

/** The reason for an answer of /listeners alone. */
export const rejectionOfListeners = `${expected}, got an answer of Envoy's /listeners, which has only the names and addresses of listeners: add /config_dump?include_eds of the same Envoy, in the same folder or document`;

/** Returns undefined if the object is not a known request. */
export function rejectionOfRequest(members: ReadonlySet<string>): string | undefined {
  const name = nameOf(requests, members);
  return name && `${expected}, got ${name}`;
}

/**
 * Returns the reason for an object without resources, which quotes only names of its members. `inside`: the reasons for its parts,
 * which may be known.
 */
export function rejectionOfObject(members: ReadonlySet<string>, inside: readonly string[] = []): string {
  const name = nameOf(others, members);
  if (name !== undefined) return `${expected}, got ${name}`;
  const names = [...members];
  if (names.length === 0) return `${expected}, got an empty object`;
  const more = names.length > 4 ? ` and ${names.length - 4} more` : '';
  const ofParts = others.map(([, each]) => each).find((each) => inside.some((part) => part.endsWith(each)));
  const contained = ofParts === undefined ? '' : `, which contains ${ofParts}`;
  return `${expected}, got an object with ${showName(names.slice(0, 4).join(', '))}${more}${contained}`;
}

/** Returns the reason for a list whose elements were rejected for `reasons`. */
export function rejectionOfList(reasons: readonly string[]): string {
  const [first = ''] = reasons;
  if (reasons.length === 0) return `${expected}, got an empty list`;
  const each = reasons.every((reason) => reason === first) ? first.replace(`${expected}, got `, '') : '';
  return `${expected}, got a list of ${reasons.length}${each && `, each of them ${each}`}`;
}

function nameOf(known: readonly Named[], members: ReadonlySet<string>): string | undefined {
  return known.find(([marks]) => marks.every((mark) => members.has(mark)))?.[1];
}
