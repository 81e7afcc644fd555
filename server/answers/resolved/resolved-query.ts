import { findBugsOf } from '@/lib/known-bugs/find-known-bugs';
import type { QueryOf } from '@/lib/questions/question';
import {
  chooseProfile,
  findClient,
  namedProfile,
  type ProfiledClient,
  profileOfClient,
} from '@/lib/resolve/client-profile';
import { findStartOfTarget } from '@/lib/resolve/start-of-target';
import { findTrafficTrust, findTrust, type Trust, type TrustInput } from '@/lib/resolve/validate-row';
import type { ClientQuestions } from '@/lib/views/client-questions';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { clientOf, newestOf, type Profile, type Who } from '@/lib/xds/profile';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from '../../api-error';
import { parseInput } from '../parse-input';
import type { KnownSettings } from '../subjects/known-settings';
import type { DrawQuery, Judging, ResolvedQuery, ResolverQuestion } from './resolved-questions';
/** The part of the graph to draw, and the effective config that marks it. */
export type DrawnQuery = Pick<QueryOf<ClientQuestions['graph']>, 'expand'> &
  Partial<QueryOf<ClientQuestions['graph']>>;

/** The properties of a client that a question's defaults depend on. */
export interface ClientDefaults extends ProfiledClient {
  readonly reports: Iterable<ReportOf<TrustInput['reports']> & { readonly goneAt?: EpochMs | null }>;
  readonly reported: KnownSettings;
  readonly unused?: ResolverQuestion['unused'];
  readonly failing?: ResolverQuestion['failing'];
  readonly failingTargets?: ResolverQuestion['failingTargets'];
  readonly lacksConnections?: true;
  /** The addresses of the endpoints to which the client is connected. Absent: not reported. */
  readonly connected?: ReadonlySet<string>;
}

/** The defaults are the client's own settings. */
export function resolverQuestion(
  { profile: chosen, ...query }: ResolvedQuery,
  client: ClientDefaults,
): ResolverQuestion {
  const { reported, unused = [], failing, failingTargets, lacksConnections } = client;
  const { templates, certificateProviders } = reported;
  const of = (profile: Profile) => judgingBy(profile, client, findTrust, chosen);
  const judging = of(namedProfile(chosen, client));
  const envoy = newestOf('envoy');
  return {
    ...{ ...query, templates, certificateProviders },
    ...judging,
    ...(judging.possible?.includes(envoy) && { ofSocket: of(envoy) }),
    ...(clientOf(profileOfClient(client)) === 'envoy' && { isEnvoy: true as const }),
    ...(unused.length > 0 && { unused }),
    ...(mayHoldWithdrawn(client) && { mayHoldWithdrawn: true as const }),
    ...(failing && { failing }),
    ...(failingTargets && { failingTargets }),
    ...(lacksConnections && { lacksConnections: findDialing(client) }),
  };
}

type ReportOf<Reports> = Reports extends Iterable<infer Report> ? Report : never;

/**
 * Measured with gRPC-Go 1.70 to 1.85: when it returns from the fallback server, it withdraws some of its requests there, ends the
 * stream, and keeps the resources, which it requests from no server. Taps alone do not show what it keeps.
 */
function mayHoldWithdrawn({ node, reports }: Pick<ClientDefaults, 'node' | 'reports'>): boolean {
  const all = [...reports];
  const taps = all.filter(({ vantage }) => vantage === 'tap');
  const hasReturned = taps.some(({ goneAt }) => goneAt == null) && taps.some(({ goneAt }) => goneAt != null);
  const isTapped = all.every(({ vantage, side }) => vantage === 'tap' || side === 'control-plane');
  const agent = { ...node, userAgentVersion: node.userAgentVersion ?? '' };
  return isTapped && hasReturned && findBugsOf(agent).some(({ id }) => id === 'frozen-after-fallback');
}

/** Who rejects what. `chosen` is the profile that the question names, which is not an assumption. */
export function judgingBy(
  profile: Profile,
  client: Pick<ClientDefaults, 'node' | 'asClient' | 'reports'>,
  find: (input: TrustInput) => Trust,
  chosen: Who | undefined,
): Judging {
  const ownProfile = profileOfClient(client);
  const trust = find({ profile, ownProfile, reports: client.reports });
  const { possible, isHint } = chosen === undefined ? chooseProfile(client) : {};
  if (isHint)
    return {
      profile,
      trust: {
        ...trust,
        reason: 'the version of the client is not measured: no resource counts as rejected by rules',
      },
      possible: [],
    };
  if (possible === undefined) return { profile, trust };
  const reason =
    'it is not known which client this is: a resource counts as rejected only if every client rejects it';
  return { profile, trust: { ...trust, reason }, possible };
}

export function trafficQuestion(query: ResolvedQuery, client: ClientDefaults): ResolverQuestion {
  return { ...resolverQuestion(query, client), ...trafficProfiles(query.profile, client) };
}

/**
 * The profiles whose rules decide where traffic goes. A probe can have read the config of an Envoy: only a client that
 * reports a user agent of gRPC itself is not an Envoy.
 */
export function trafficProfiles(
  chosen: Who | undefined,
  client: Pick<ClientDefaults, 'node' | 'asClient' | 'reports'>,
): Pick<ResolverQuestion, 'profile' | 'trust' | 'possible' | 'ofSocket'> {
  const { node, reports } = client;
  const ownProfile = profileOfClient(client);
  const of = (each: Profile) => judgingBy(each, client, findTrafficTrust, chosen);
  const known = findClient(node.userAgentName);
  const mayBeEnvoy = known === undefined || known === 'envoy' || isProbed({ reports });
  const envoy = clientOf(ownProfile) === 'envoy' ? ownProfile : newestOf('envoy');
  const profile = namedProfile(chosen, client);
  return mayBeEnvoy ? { ...of(profile), ofSocket: of(envoy) } : of(profile);
}

function isProbed({ reports }: Pick<ClientDefaults, 'reports'>): boolean {
  return [...reports].some(({ vantage }) => vantage === 'probe');
}

/** The kind of a client that connects to endpoints. undefined: a probe of xdscope, or a client of an unknown kind. */
function findDialing(client: ClientDefaults): 'envoy' | 'grpc' | undefined {
  if (isProbed(client)) return undefined;
  if (isGrpcClient(client)) return 'grpc';
  const { profile, possible } = chooseProfile(client);
  return possible === undefined && clientOf(profile) === 'envoy' ? 'envoy' : undefined;
}

/** Returns true if the client reports a user agent of gRPC. */
export function isGrpcClient({ node }: Pick<ClientDefaults, 'node'>): boolean {
  const client = findClient(node.userAgentName);
  return client !== undefined && client !== 'envoy';
}

/** Returns the graph's query with the question of its marks; throws 400 if the target is not valid. */
export function drawQuery(
  { resolve: listener, target, profile, ...drawn }: DrawnQuery,
  client: ClientDefaults,
): DrawQuery {
  const { failing, lacksConnections } = client;
  const query = {
    ...{ ...drawn, isGrpc: isGrpcClient(client) },
    ...(failing && { failing }),
    ...(lacksConnections && findDialing(client) && { lacksConnections }),
  };
  if (listener === undefined && target === undefined) return query;
  const question = resolverQuestion(parseInput(resolvedQuery, { listener, target, profile }), client);
  if (question.target !== undefined) {
    const parsed = findStartOfTarget(question.target, question.templates ?? undefined);
    if (!parsed.ok) throw badRequest(parsed.message);
  }
  return { ...query, resolve: question };
}
