import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import type { ProbeMode, ProbeProfile } from '@/lib/xds/probe-choices';
import type { ResourceCodec } from './resource-codec';

/** Why a client rejects a resource that decodes: all of it, in one text; null when it takes it. */
export type Validator = (typeUrl: string, bytes: Uint8Array) => string | null | Promise<string | null>;

export interface ValidationSettings {
  readonly mode: ProbeMode;
  /** The client whose rules `validate` applies. */
  readonly profile: ProbeProfile;
  /** The names under certificate_providers of the bootstrap; null without a bootstrap. */
  readonly certificateProviders: ReadonlySet<string> | null;
}

/** Rules know the types of v3; a v2 server may send v2 types inside. */
const asV3 = { asV3: true };

/** The event loop decodes what is smaller. */
const inPlaceBytes = 256 * 1024;

/**
 * The mode `observe` takes whatever decodes, so that nobody is disturbed; `validate` rejects what breaks a rule for
 * which the client of the profile sends a NACK (xds-semantics, section 2.2).
 */
export function createValidator(
  { mode, profile, certificateProviders }: ValidationSettings,
  codec: ResourceCodec,
): Validator {
  if (mode === 'observe') return () => null;
  const context = { certificateProviders: certificateProviders ?? undefined };
  const validate = (typeUrl: string, json: unknown): string | null => {
    const findings = validateResource(typeUrl, json, context);
    if (verdictOf(findings, profile) === 'ACK') return null;
    const broken = findings.filter(({ reactions }) => reactions[profile] === 'NACK');
    return broken.map(({ message }) => message).join('; ');
  };
  return (typeUrl, bytes) =>
    bytes.length > inPlaceBytes
      ? codec.decodeMany([{ typeUrl, bytes }], asV3).then(([decoded]) => validate(typeUrl, decoded?.json))
      : validate(typeUrl, codec.decode(typeUrl, bytes, asV3).json);
}

/** How a client rejects a response, in state of the world (C-core 1.51, Go 1.64, Node 1.14: measured). */
export interface NackBehavior {
  /**
   * Does the NACK carry the new version where something was good that was asked for? C-core's and Node's do; Go and
   * Java keep the old one.
   */
  readonly movesVersion: boolean;
  /** Node passes over what is wrong with resources that it did not ask for. */
  readonly sparesUnasked: boolean;
}

export function nackBehaviorOf({ mode, profile }: ValidationSettings): NackBehavior {
  const isClient = mode === 'validate';
  return {
    movesVersion: isClient && (profile === 'core' || profile === 'node'),
    sparesUnasked: isClient && profile === 'node',
  };
}
