import type { FieldReader } from '../model/field-reader';
import { remoteAddressOf } from '../requests/filters/filter-decision';
import { cookiesOf, queryOf } from '../requests/request';
import type { MatchedRequest } from '../requests/route-match';
import { type Client, clientOf } from '../xds/profile';
import { rotate, xxh64 } from '../xds/xxh64';

/** `none`: the client draws a random hash for each request. */
export type RequestHash =
  | { readonly kind: 'hash'; readonly hash: bigint; readonly by: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'depends'; readonly reason: string };

/** undefined: the policy has no effect on the request. */
type Evaluated =
  | { readonly texts: readonly string[]; readonly by: string }
  | { readonly depends: string }
  | undefined;

interface HashedRequest extends MatchedRequest {
  readonly manager: FieldReader;
}

/**
 * The hash of a request by the hash policies of its route. "If a hash has been generated, the following policies are ignored" after
 * a terminal one; otherwise each hash is combined with the previous one, which is rotated by a bit.
 */
export function hashOfRequest(policies: readonly FieldReader[], request: HashedRequest): RequestHash {
  const client = clientOf(request.profile);
  const isEnvoy = client === 'envoy';
  let hash: bigint | undefined;
  const by: string[] = [];
  for (const policy of policies) {
    const found = isEnvoy ? evaluateInEnvoy(policy, request) : evaluateInGrpc(policy, request);
    if (found !== undefined && 'depends' in found) return { kind: 'depends', reason: found.depends };
    if (found !== undefined) {
      const own = hashOf(found.texts);
      hash = hash === undefined ? own : rotateIn(client, hash) ^ own;
      by.push(found.by);
    }
    if (hash !== undefined && policy.boolean('terminal')) break;
  }
  if (hash === undefined) return { kind: 'none' };
  // A hash behind the end of the ring selects its first entry.
  return { kind: 'hash', hash: hash >= 2n ** 64n ? 0n : hash, by: by.join(' and ') };
}

/** Measured: grpc-js 1.14.1 does not limit the hash to 64 bits, and gRPC-Java 1.85.1 shifts the sign of a signed one. */
function rotateIn(client: Client, hash: bigint): bigint {
  const last = hash >> 63n;
  if (client === 'node') return (hash << 1n) | last;
  return client === 'java' && last === 1n ? 2n ** 64n - 1n : rotate(hash, 1n);
}

/** Envoy hashes the values of a header one after the other, in their own order. */
function hashOf(texts: readonly string[]): bigint {
  return [...texts].sort().reduce((seed, text) => xxh64(text, seed), 0n);
}

function evaluateInEnvoy(policy: FieldReader, request: HashedRequest): Evaluated {
  const { find } = request;
  if (policy.has('header')) return evaluateHeader(policy, request);
  const cookie = policy.object('cookie');
  if (cookie !== undefined) {
    const name = cookie.string('name');
    const header = find('cookie');
    if (header.kind === 'depends') return { depends: header.reason };
    const value = cookiesOf(find).get(name) ?? '';
    if (value !== '') return { texts: [value], by: `cookie ${name}` };
    return cookie.has('ttl')
      ? {
          depends: `the request has no cookie ${name}: Envoy makes one of the addresses and ports of the connection`,
        }
      : undefined;
  }
  if (policy.object('connectionProperties')?.boolean('sourceIp')) {
    const remote = remoteAddressOf(request);
    if (remote.kind === 'depends') return { depends: remote.reason };
    if (remote.address === undefined) return { depends: 'the source address of the request is not known' };
    return { texts: [remote.address], by: 'the source address' };
  }
  const parameter = policy.object('queryParameter');
  if (parameter !== undefined) {
    const name = parameter.string('name');
    const path = find(':path');
    if (path.kind === 'depends') return { depends: path.reason };
    const value = path.kind === 'value' ? queryOf({ path: path.first }).get(name) : undefined;
    return value === undefined ? undefined : { texts: [value], by: `query parameter ${name}` };
  }
  if (policy.has('filterState'))
    return { depends: `filter state ${policy.object('filterState')?.string('key')} is not known` };
  return undefined;
}

/** gRFC A42: a header, or the id of the channel. The values of a header are joined. */
function evaluateInGrpc(policy: FieldReader, request: HashedRequest): Evaluated {
  if (policy.object('filterState')?.string('key') === 'io.grpc.channel_id')
    return { depends: 'the hash is a random number of the channel' };
  if (!policy.has('header')) return undefined;
  const name = policy.object('header')?.string('headerName').toLowerCase() ?? '';
  if (name.endsWith('-bin')) return undefined;
  if (/^:|^(content-type|user-agent|te|grpc-.*)$/.test(name))
    return { depends: `the client itself sets the header ${name}` };
  return evaluateHeader(policy, request);
}

function evaluateHeader(policy: FieldReader, { find, request, profile }: HashedRequest): Evaluated {
  const header = policy.object('header');
  const name = header?.string('headerName') ?? '';
  const value = find(name);
  if (value.kind === 'absent') return undefined;
  if (value.kind === 'depends') return { depends: value.reason };
  if (header?.has('regexRewrite'))
    return { depends: `a regular expression rewrites the header ${name} before it is hashed` };
  // Its values are joined for matchers, and hashed one by one.
  const sent = request.headers.filter(([each]) => each.toLowerCase() === name.toLowerCase());
  if (profile === 'envoy-1.36' && sent.length > 1)
    return { depends: `the request has the header ${name} several times` };
  return { texts: value.values, by: `header ${name}` };
}
