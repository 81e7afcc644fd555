import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import type { ProbeMode, ProbeProfile } from '@/lib/xds/probe-choices';
import { clientOf, profileOfWho } from '@/lib/xds/profile';
import type { ResourceCodec } from './resource-codec';

/** Returns the reasons for which a client rejects a decoded resource, in one text; null if it accepts it. */
export type Validator = (typeUrl: string, bytes: Uint8Array) => string | null | Promise<string | null>;

export interface ValidationSettings {
  readonly mode: ProbeMode;
  readonly profile: ProbeProfile;
  /** The names under certificate_providers of the bootstrap; null without a bootstrap. */
  readonly certificateProviders: ReadonlySet<string> | null;
}

/** Rules are defined for v3 types, but a v2 server may send nested v2 types. */
const asV3 = { asV3: true };

/** Larger resources are decoded off the event loop. */
const inPlaceBytes = 256 * 1024;

/**
 * The mode `observe` rejects nothing; `validate` rejects what violates a rule for which the client of the
 * profile sends a NACK (xds-semantics, section 2.2).
 */
export function createValidator(
  { mode, profile, certificateProviders }: ValidationSettings,
  codec: ResourceCodec,
): Validator {
  if (mode === 'observe') return () => null;
  const rules = profileOfWho(profile);
  const context = { certificateProviders: certificateProviders ?? undefined };
  const validate = (typeUrl: string, json: unknown): string | null => {
    const findings = validateResource(typeUrl, json, context);
    if (verdictOf(findings, rules) !== 'NACK') return null;
    const broken = findings.filter(({ reactions }) => reactions[rules] === 'NACK');
    return broken.map(({ message }) => message).join('; ');
  };
  return (typeUrl, bytes) =>
    bytes.length > inPlaceBytes
      ? codec.decodeMany([{ typeUrl, bytes }], asV3).then(([decoded]) => validate(typeUrl, decoded?.json))
      : validate(typeUrl, codec.decode(typeUrl, bytes, asV3).json);
}

/** The way in which a client rejects a state-of-the-world response (measured: C-core 1.51, Go 1.64, Node 1.14). */
export interface NackBehavior {
  /**
   * True if the NACK carries the new version when a subscribed resource of the response is valid, as in C-core and
   * Node. Go and Java send the old version.
   */
  readonly movesVersion: boolean;
  /** Node ignores problems of resources that it did not request. */
  readonly ignoresUnrequested: boolean;
}

export function nackBehaviorOf({ mode, profile }: ValidationSettings): NackBehavior {
  const client = mode === 'validate' ? clientOf(profileOfWho(profile)) : undefined;
  return {
    movesVersion: client === 'core' || client === 'node',
    ignoresUnrequested: client === 'node',
  };
}
