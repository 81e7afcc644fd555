import type { FieldReader } from '../../model/field-reader';
import { parseIpAddress } from '../../validate/ip-address';
import { clientOf } from '../../xds/profile';
import type { DynamicMetadata } from '../metadata';
import { type FindHeader, valuesSent } from '../request';
import type { MatchedRequest } from '../route-match';

/** What a filter sees of a request, and its configs. */
export interface FilterRequest extends MatchedRequest {
  /** The config in the connection manager. */
  readonly config: FieldReader;
  /** The configs in `typed_per_filter_config` without their FilterConfig, from the most specific: weighted cluster, route, virtual host, route configuration. */
  readonly overrides: readonly FieldReader[];
  /** The route and the virtual host; empty if no route matches. */
  readonly owners: readonly FieldReader[];
  readonly manager: FieldReader;
  /** Returns why each request to a cluster fails; empty if one can succeed. */
  readonly whyFails: (cluster: string) => string;
  /** The cluster of the route, if one is chosen without a weight. */
  readonly cluster: string | undefined;
  /** The address at which the connection arrives, as far as it is known. */
  readonly destination: { readonly address: string | undefined; readonly port: number | undefined };
}

/** The answer of a filter. */
export interface FilterAnswer {
  /** Absent if it is not known. */
  readonly status?: number;
  readonly flag?: string;
  /** In a gRPC client or server, in place of the status. */
  readonly grpcCode?: string;
}

/** What a filter does with a request. `reason` is a part of a sentence. */
export type FilterDecision =
  | {
      readonly kind: 'passes';
      readonly reason: string;
      /** The headers and the metadata behind it; absent: as before. */
      readonly find?: FindHeader;
      readonly metadata?: DynamicMetadata;
    }
  | { readonly kind: 'answers'; readonly reason: string; readonly answer: FilterAnswer }
  | {
      readonly kind: 'depends';
      readonly reason: string;
      /** What it may answer; absent: it may answer anything, or change the request so that another route is chosen. */
      readonly answer?: FilterAnswer;
      /** The share of requests that it answers, if every input is known. */
      readonly percent?: number;
      /** An external service decides, by its API. */
      readonly isService?: true;
    };

/** Part of a sentence about what a filter changes. */
export const notRouted = 'the route was chosen before, and is not chosen again';

export type EvaluateFilter = (of: FilterRequest) => FilterDecision;

export function passes(reason: string): FilterDecision {
  return { kind: 'passes', reason };
}

/** The path of the request without query string and fragment, with the changes of earlier filters. */
export function pathOfFound(find: FindHeader): string | undefined {
  const path = find(':path');
  return path.kind === 'value' ? (/^[^?#]*/.exec(path.first)?.[0] ?? '') : undefined;
}

export function firstValue(find: FindHeader, name: string): string | undefined {
  const header = find(name);
  return header.kind === 'value' ? header.first : undefined;
}

/** "When a request is a preflight request": the method OPTIONS with an origin and the method that is asked for. */
export function isPreflight(find: FindHeader): boolean {
  return (
    firstValue(find, ':method') === 'OPTIONS' &&
    (firstValue(find, 'origin') ?? '') !== '' &&
    (firstValue(find, 'access-control-request-method') ?? '') !== ''
  );
}

type Remote =
  | { readonly kind: 'known'; readonly address: string | undefined }
  | { readonly kind: 'depends'; readonly reason: string };

/** The address that the connection manager infers for the caller: by x-forwarded-for, if it trusts the header. */
export function remoteAddressOf({
  manager,
  request,
  profile,
}: Pick<FilterRequest, 'manager' | 'request' | 'profile'>): Remote {
  const direct: Remote = { kind: 'known', address: request.connection?.sourceAddress };
  if (clientOf(profile) !== 'envoy') return direct;
  if (manager.objects('originalIpDetectionExtensions').length > 0)
    return { kind: 'depends', reason: 'an extension detects the remote address' };
  const hops = manager.number('xffNumTrustedHops') ?? 0;
  const isEdge = manager.boolean('useRemoteAddress');
  if (isEdge && hops === 0) return direct;
  const forwarded = valuesSent(request, 'x-forwarded-for');
  const addresses = forwarded.flatMap((value) => value.split(',')).map((each) => each.trim());
  const found = addresses.at(-1 - (isEdge ? hops - 1 : hops));
  return found !== undefined && parseIpAddress(found) !== undefined
    ? { kind: 'known', address: found }
    : direct;
}
