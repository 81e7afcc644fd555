import type { ClientStatus } from '../xds/status';

/** Envoy warms a listener, cluster or secret before use, and drains an old listener. */
export const stages = ['active', 'warming', 'draining'] as const;
export type Stage = (typeof stages)[number];

/**
 * The reasons why the answers of a client do not prove what it runs. `deleted`, `rejected`: a setting of its
 * bootstrap decides whether it keeps the accepted payload. `added-again`: it is not known to use a resource that was
 * deleted and added again. `replaced`: the payload replaced another one, which is used until the client has what the
 * new one depends on. `without-endpoints`: the cluster of these endpoints changed, and a response with endpoints was
 * rejected before it had any. `not-recorded`: messages were not recorded, and none since then shows what the client
 * answered, or what it accepted last. `configured`: it is a part of a bootstrap file, which is not a report of an Envoy.
 */
export const doubts = [
  ...(['deleted', 'rejected', 'added-again', 'replaced', 'without-endpoints', 'not-recorded'] as const),
  'configured',
] as const;
export type Doubt = (typeof doubts)[number];

/** `kept`: the resource is deleted, and the client keeps it. */
export const effectStages = [...stages, 'kept'] as const;
type EffectStage = (typeof effectStages)[number];

/**
 * The kinds of evidence for what a client runs. `ack`: a client runs what it ACKed last, which a tap or probe
 * concludes.
 */
export const evidences = ['config_dump', 'csds', 'ack'] as const;

/** The fields of a resource's state, or of its row, that state what the client holds. */
export interface HeldState {
  readonly clientStatus: ClientStatus;
  readonly hash: string | null;
  readonly errorState: {
    readonly failedHash: string | null;
    readonly versionInfo?: string | undefined;
    readonly statistic?: string | undefined;
    readonly successes?: number | undefined;
    readonly mayBeInEffect?: true | undefined;
  } | null;
  readonly isStatic?: boolean | undefined;
  readonly doubt?: Doubt | undefined;
  readonly ambientError?: { readonly code: string } | undefined;
  readonly stage?: Stage | undefined;
  readonly otherVersions?: readonly { readonly stage: Stage; readonly hash: string | null }[] | undefined;
}

/** Returns undefined if the client does not run the config that it reports, and is not going to. */
export function effectStageOf(state: HeldState): EffectStage | undefined {
  const { clientStatus, errorState, ambientError, stage } = state;
  if (stage !== undefined) return stage;
  // C-core up to 1.69 reports the config of a deleted resource, which it does not run, without an error.
  if (clientStatus === 'DOES_NOT_EXIST') return errorState === null ? undefined : 'kept';
  return ambientError?.code === 'NOT_FOUND' ? 'kept' : 'active';
}

/** Returns true if it is not known whether the client runs the payload that it accepted last. */
export function isInDoubt({ doubt }: { readonly doubt?: Doubt | undefined }): boolean {
  return doubt !== undefined && doubt !== 'replaced';
}

/**
 * Returns true if the client ACKed the payload that it had rejected, which proves nothing: Envoy skips a cluster that
 * it still has from the rejected response. The version that was in effect before is the active one of
 * `otherVersions`.
 */
export function isAckOfRejected({ clientStatus, hash, errorState, stage }: HeldState): boolean {
  return clientStatus === 'ACKED' && stage === undefined && hash !== null && errorState?.failedHash === hash;
}
