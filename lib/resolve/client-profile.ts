import type { ClientEvidence } from '../observation/observation';
import { findClientRelease } from '../xds/client-release';
import type { ProbeProfile } from '../xds/probe-choices';
import {
  type Client,
  clientNames,
  clientOf,
  grpcProfiles,
  measuredRange,
  nameOf,
  newestOf,
  type Profile,
  profileOfVersion,
  profileOfWho,
  profiles,
  type Who,
} from '../xds/profile';

export interface ProfiledClient {
  readonly node: {
    readonly id?: string;
    readonly userAgentName: string;
    readonly userAgentVersion?: string;
    readonly evidence?: ClientEvidence | undefined;
  };
  /** The profile that our own probe imitates, if the client is such a probe. */
  readonly asClient?: ProbeProfile | undefined;
}

interface ChosenProfile {
  readonly profile: Profile;
  /**
   * Set if it is not known which client it is: one of these. The profile is then an assumption, and only what all of them
   * reject counts as rejected.
   */
  readonly possible?: readonly Profile[];
  /**
   * Set if the version is earlier than every measured one. What the rules of the profile find are hints: nothing counts as
   * rejected by them.
   */
  readonly isHint?: true;
  /** Set if the version is not measured, and lies after one that is: the rules of the nearest one before it apply. */
  readonly isNearest?: true;
  /** Why, as the end of a sentence that begins with the name of the profile and a colon. */
  readonly reason: string;
}

/** The client of a user agent such as "gRPC Go", "gRPC Node Pure JS" or "gRPC C-core linux"; undefined if unknown. */
export function findClient(userAgentName: string): Client | undefined {
  const name = userAgentName.toLowerCase();
  if (name.includes('envoy')) return 'envoy';
  if (name.includes('c-core')) return 'core';
  if (/\bgo\b/.test(name)) return 'go';
  if (/\bjava\b/.test(name)) return 'java';
  return /\bnode\b/.test(name) ? 'node' : undefined;
}

/** Node ids of Istio's proxies, which are Envoys or behave like one. */
const proxyId = /^(sidecar|router|waypoint|ztunnel|ingress)~/;

/**
 * Chosen from the user agent, else from the node id, else from what the source and the resources show. Otherwise the client
 * is not known, and the newest profile of grpc-go is assumed.
 */
export function chooseProfile({ node, asClient }: ProfiledClient): ChosenProfile {
  if (asClient !== undefined) {
    return { profile: profileOfWho(asClient), reason: 'the probe validates like this client' };
  }
  const { id = '', userAgentName, userAgentVersion = '', evidence } = node;
  const reported = `the user agent is “${`${userAgentName} ${userAgentVersion}`.trim()}”`;
  const client = findClient(userAgentName);
  if (client !== undefined) {
    const release = findClientRelease(userAgentVersion);
    if (release?.major !== 1) {
      const reason = `${reported}, without a version of ${clientNames[client]}: the newest measured`;
      return { profile: newestOf(client), reason };
    }
    const { profile, isMeasured, isEarlier } = profileOfVersion(client, release.minor);
    if (isEarlier)
      return {
        profile,
        reason: `${reported}, which is not measured (measured: ${measuredRange(client)}): what the rules find is a hint`,
        isHint: true,
      };
    if (isMeasured) return { profile, reason: reported };
    const nearest = `${reported}, which is not measured: ${nameOf(profile)} is the nearest measured version before it`;
    return { profile, reason: nearest, isNearest: true };
  }
  const [, proxy] = proxyId.exec(id) ?? [];
  if (proxy !== undefined)
    return {
      profile: newestOf('envoy'),
      reason: `the node id begins with “${proxy}~”, as those of proxies do`,
    };
  if (evidence?.client === 'envoy') {
    return {
      profile: newestOf('envoy'),
      reason: `${evidence.reason}; its version is not reported: the newest measured`,
    };
  }
  const profile = newestOf('go');
  const agreed = 'what only some clients reject is not marked as rejected';
  if (evidence?.client === 'grpc') {
    const reason = `assumed, as the language of this gRPC client is not known (${evidence.reason}); ${agreed}`;
    return { profile, reason, possible: grpcProfiles };
  }
  const why =
    userAgentName === ''
      ? 'the client reports no user agent'
      : `${reported}, which is that of no known client`;
  const reason = `assumed, as it is not known which client this is: ${why}, and nothing in its resources shows it; ${agreed}`;
  return { profile, reason, possible: profiles };
}

/** The profile for a question that names none. */
export function profileOfClient(client: ProfiledClient): Profile {
  return chooseProfile(client).profile;
}

/** The profile that a question names. A client without version is in the version of `client`, if it is of that kind. */
export function namedProfile(who: Who | undefined, client: ProfiledClient): Profile {
  const own = profileOfClient(client);
  if (who === undefined || who === clientOf(own)) return own;
  return profileOfWho(who);
}

/** Explains the choice of chooseProfile(), or of a profile that a question may name. */
export function explainProfile(who: Who | undefined, client: ProfiledClient): ChosenProfile {
  const own = chooseProfile(client);
  const profile = namedProfile(who, client);
  if (profile === own.profile) return own;
  return { profile, reason: `chosen in place of ${nameOf(own.profile)}: ${own.reason}` };
}

/**
 * Explains the profile of an answer. `used`: that of the newest answer, which may be that of an earlier question. It is an Envoy's for
 * the socket listener of a client that reports no user agent of gRPC.
 */
export function explainUsedProfile(
  used: Profile | undefined,
  who: Who | undefined,
  client: ProfiledClient,
): ChosenProfile {
  const chosen = explainProfile(who, client);
  const isOfEnvoy = used !== undefined && clientOf(used) === 'envoy' && used !== chosen.profile;
  if (who !== undefined || !isOfEnvoy || findClient(client.node.userAgentName) !== undefined) return chosen;
  const why = 'no gRPC client forwards the requests of a listener with an address';
  const reason =
    chosen.possible === undefined
      ? why
      : `assumed, as it is not known which client this is: ${why}; what only some clients reject is not marked as rejected`;
  return { ...chosen, profile: used, reason };
}

/**
 * What a question names to get the answers of a profile: nothing if they are the usual ones of the client. The usual ones of an
 * unknown client, or of a probe, are those of an Envoy for a socket listener.
 */
export function choiceOfProfile(profile: Profile, client: ProfiledClient): Profile | '' {
  const { profile: own, possible } = chooseProfile(client);
  return profile === own && possible === undefined && client.asClient === undefined ? '' : profile;
}
