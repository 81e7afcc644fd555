import { effectStageOf, type HeldState, isAckOfRejected, isInDoubt } from '../observation/effect-stage';
import { EDS, SDS } from '../xds/resource-type';

/** The fields of a resource's state, or of its row, by which it is decided what is in effect of it. */
export interface EffectState extends HeldState {
  readonly typeUrl: string;
  readonly versionInfo: string;
}

/**
 * What is in effect of a resource, and the evidence as a phrase that follows "because". `hash` is that of the payload:
 * absent if it is not reported. Of `unknown` it is that of the payload which may be in effect.
 */
export type InEffect =
  | { readonly kind: 'payload'; readonly hash: string | undefined; readonly because: string }
  | { readonly kind: 'none'; readonly because: string }
  | { readonly kind: 'unknown'; readonly hash: string | undefined; readonly because: string };

/** The version of a secret in Envoy's config dump before the first accepted update. */
const uninitialized = 'uninitialized';

/**
 * The only place that decides what a client runs of a resource. A payload is in effect if the client reports it as active,
 * or accepted it; none is in effect if the client reports that it has none, or if it accepted none.
 */
export function inEffect(state: EffectState): InEffect {
  const { clientStatus, errorState, hash, versionInfo } = state;
  const stage = effectStageOf(state);
  if (stage === undefined) return none('the resource does not exist');
  if (stage === 'warming') return whileWarming(state);
  if (stage === 'draining') return none('it drains: it serves only connections that exist');
  const isOfRejected = isAckOfRejected(state);
  const active = findActive(state);
  const held = (isOfRejected ? active?.hash : hash) ?? undefined;
  if (state.doubt === 'configured')
    return unknown(held, 'it is configured, and whether it runs is not reported');
  if (isInDoubt(state)) return unknown(held, 'its answers do not show which payload it runs');
  if (errorState?.mayBeInEffect) return unknown(held, 'a part of a rejected response is in effect');
  if (isOfRejected) {
    return active === undefined
      ? unknown(undefined, 'the client ACKed a payload that it had rejected before')
      : {
          kind: 'payload',
          hash: active.hash ?? undefined,
          because: 'this payload was in effect before the rejection',
        };
  }
  if (hasAcceptedNone(state)) return none(becauseNone(state));
  if (isRejectedSecret(state))
    return errorState?.successes === 0 ? none(becauseNone(state)) : unknown(undefined, listedAsRejected);
  if (hash !== null) return { kind: 'payload', hash, because: becauseHeld(state) };
  switch (clientStatus) {
    case 'ACKED':
      return { kind: 'payload', hash: undefined, because: 'the client accepted it' };
    case 'NACKED':
      if (versionInfo !== '')
        return { kind: 'payload', hash: undefined, because: `version ${versionInfo} was accepted` };
      if (errorState?.successes)
        return unknown(undefined, 'an earlier update was accepted, and may be in effect');
      return none('no accepted payload is reported');
    case 'REQUESTED':
      return none('it is requested, and no payload was accepted');
    case 'TIMEOUT':
      return none('no response has carried it before the resource timer expired');
    case 'RECEIVED_ERROR':
      return none('the management server reported an error in its place');
    default:
      return unknown(undefined, 'its state is not reported');
  }
}

/** A listener or cluster that is replaced serves with its active version until the new one has warmed. */
function whileWarming(state: EffectState): InEffect {
  const active = findActive(state);
  if (active !== undefined)
    return {
      kind: 'payload',
      hash: active.hash ?? undefined,
      because: 'it is active while a newer version warms',
    };
  return hasAcceptedNone(state) ? none(becauseNone(state)) : none('it warms: no version was active before');
}

function findActive({ otherVersions }: EffectState) {
  return otherVersions?.find(({ stage }) => stage === 'active');
}

/**
 * Returns true if nothing was ever accepted. A config dump contains secrets and endpoints before their first accepted
 * update, and a tap reports the rejected payload of a resource without an accepted one.
 */
export function hasAcceptedNone({
  typeUrl,
  stage,
  versionInfo,
  hash,
  clientStatus,
  errorState,
}: EffectState): boolean {
  if (versionInfo === uninitialized) return true;
  if (clientStatus !== 'NACKED' || errorState === null) return false;
  if (errorState.successes === 0) return stage === undefined ? hash === null : typeUrl === EDS.typeUrl;
  const isOfRejected = versionInfo === '' || versionInfo === errorState.versionInfo;
  return hash !== null && hash === errorState.failedHash && stage === undefined && isOfRejected;
}

const listedAsRejected =
  'Envoy lists the secret that it rejected, and does not use it: one that was accepted before may be in effect';

/**
 * Measured with Envoy 1.40.0: its config dump lists a rejected secret as active at the rejected version. It ACKs the same bytes on its
 * next stream, counts a success, and resets each connection all the same.
 */
function isRejectedSecret({ typeUrl, hash, versionInfo, errorState }: EffectState): boolean {
  if (typeUrl !== SDS.typeUrl || hash === null || errorState === null) return false;
  // The dump redacts the private key, so that the hash is another one than that of the payload that was sent.
  return errorState.failedHash === hash || (versionInfo !== '' && versionInfo === errorState.versionInfo);
}

function becauseNone({ typeUrl, clientStatus, errorState }: EffectState): string {
  if (errorState?.successes === 0) {
    const counter = errorState.statistic?.replace(/rejected$/, 'success') ?? 'update_success';
    // Envoy counts a rejected secret that it skips as a success.
    const isSkipped = typeUrl === SDS.typeUrl;
    return `no update was accepted: ${counter} ${isSkipped ? 'was 0 when it was rejected' : 'is 0'}`;
  }
  return clientStatus === 'NACKED'
    ? 'no payload was accepted before the rejection'
    : 'no payload was received';
}

function becauseHeld({ stage, clientStatus, isStatic }: EffectState): string {
  if (isStatic) return 'it is a part of the bootstrap';
  if (stage !== undefined) return 'the client reports it as active';
  return clientStatus === 'NACKED' ? 'it was accepted before the rejection' : 'the client accepted it';
}

function none(because: string): InEffect {
  return { kind: 'none', because };
}

function unknown(hash: string | undefined, because: string): InEffect {
  return { kind: 'unknown', hash, because };
}

/** The body that requests are served with, or may be; undefined if there is none, or if it is not reported. */
export function bodyInEffect(state: EffectState): string | undefined {
  const effect = inEffect(state);
  return effect.kind === 'none' ? undefined : effect.hash;
}

/** The body that represents a resource in graphs and references: of the version in effect, warming or draining. */
export function heldBody(state: EffectState): string | undefined {
  const stage = effectStageOf(state);
  return stage === 'warming' || stage === 'draining' ? (state.hash ?? undefined) : bodyInEffect(state);
}
