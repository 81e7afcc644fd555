import type { Field } from './field';
import { type Profile, profiles } from './profile';

const filter = (name: string): string => `envoy.extensions.filters.http.${name}`;
export const router = filter('router.v3.Router');
export const fault = filter('fault.v3.HTTPFault');
export const rbac = filter('rbac.v3.RBAC');
export const rbacPerRoute = filter('rbac.v3.RBACPerRoute');

export type Side = 'client' | 'server';

type Lists = Readonly<Record<Profile, readonly string[]>>;

/**
 * What each client has built in and switched on. grpc-js-xds has RBAC behind an environment variable that is off.
 * Stateful session (A55), gcp_authn (A83) and composite (A103) are newer than the measured clients, and off in Java.
 */
const supported: Readonly<Record<Side, Omit<Lists, 'envoy'>>> = {
  client: { core: [router, fault], go: [router, fault], java: [router, fault], node: [router, fault] },
  server: { core: [router, rbac], go: [router, rbac], java: [router, rbac], node: [router] },
};

/** Envoy has every filter of its own API; whether it was built with another's, nobody can tell from here. */
export function isSupported(typeName: string, side: Side, profile: Profile): boolean {
  return profile === 'envoy' || supported[side][profile].includes(typeName);
}

/** grpc-go, Java and grpc-js-xds compare type URLs whole; C-core and Envoy read what is behind the last slash. */
export function typeSeenBy(profile: Profile, config: Field): string {
  return profile === 'core' || profile === 'envoy' ? config.typeName : config.wholeTypeName;
}

/** Has the client the filter at all, be it for the other side? */
export function isKnown(typeName: string, profile: Profile): boolean {
  return isSupported(typeName, 'client', profile) || isSupported(typeName, 'server', profile);
}

/**
 * Does the client come to parse the config of a filter of this type in a listener? Of an optional filter of the other
 * side grpc-go and grpc-js-xds do; C-core and Java leave it.
 */
export function readsConfig(profile: Profile, typeName: string, side: Side, isOptional: boolean): boolean {
  const isEager = profile === 'go' || profile === 'node';
  return isSupported(typeName, side, profile) || (isOptional && isEager && isKnown(typeName, profile));
}

/** Clients that know the type of a per-route config: the filter's own, or the one it has for overrides. */
export function knownOverrideBy(config: Field): readonly Profile[] {
  return profiles.filter((profile) => {
    const type = typeSeenBy(profile, config);
    return isKnown(type, profile) || (type === rbacPerRoute && isKnown(rbac, profile));
  });
}

/** A route's filter config, out of its FilterConfig wrapper. */
export function unwrapOverride(config: Field): { readonly config: Field; readonly isOptional: boolean } {
  return config.typeName === 'envoy.config.route.v3.FilterConfig'
    ? { config: config.at('config'), isOptional: config.at('isOptional').isTrue }
    : { config, isOptional: false };
}
