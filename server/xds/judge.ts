import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import type { ProbeSettings } from './probe-settings';
import type { ResourceCodec } from './resource-codec';

/** Why a client rejects a resource that decodes: all of it, in one text; null when it takes it. */
export type Judge = (typeUrl: string, bytes: Uint8Array) => string | null | Promise<string | null>;

type JudgeSettings = Pick<ProbeSettings, 'manner' | 'profile' | 'certificateProviders'>;

/** Rules know the types of v3; a v2 server may send v2 types inside. */
const asV3 = { asV3: true };

/** The event loop decodes what is smaller. */
const inPlaceBytes = 256 * 1024;

/**
 * The manner `observe` takes whatever decodes, so that nobody is disturbed; `as-client` rejects what breaks a rule for
 * which the client of the profile sends a NACK (xds-semantics, section 2.2).
 */
export function createJudge(
  { manner, profile, certificateProviders }: JudgeSettings,
  codec: ResourceCodec,
): Judge {
  if (manner === 'observe') return () => null;
  const context = { certificateProviders: certificateProviders ?? undefined };
  const judge = (typeUrl: string, json: unknown): string | null => {
    const findings = validateResource(typeUrl, json, context);
    if (verdictOf(findings, profile) === 'ACK') return null;
    const broken = findings.filter(({ reactions }) => reactions[profile] === 'NACK');
    return broken.map(({ message }) => message).join('; ');
  };
  return (typeUrl, bytes) =>
    bytes.length > inPlaceBytes
      ? codec.decodeMany([{ typeUrl, bytes }], asV3).then(([decoded]) => judge(typeUrl, decoded?.json))
      : judge(typeUrl, codec.decode(typeUrl, bytes, asV3).json);
}

/** How a client rejects a response, in state of the world (C-core 1.51, Go 1.64, Node 1.14: measured). */
export interface NackManner {
  /**
   * Does the NACK carry the new version where something was good that was asked for? C-core's and Node's do; Go and
   * Java keep the old one.
   */
  readonly movesVersion: boolean;
  /** Node passes over what is wrong with resources that it did not ask for. */
  readonly sparesUnasked: boolean;
}

export function nackMannerOf({ manner, profile }: JudgeSettings): NackManner {
  const isClient = manner === 'as-client';
  return {
    movesVersion: isClient && (profile === 'core' || profile === 'node'),
    sparesUnasked: isClient && profile === 'node',
  };
}
