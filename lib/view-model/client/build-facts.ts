import { ackedVersionOf } from '../../observation/acked-version';
import type { ClientReport } from '../../observation/client-state';
import { effectStageOf, isAckOfRejected, isInDoubt } from '../../observation/effect-stage';
import type { Answer, Effect } from '../../observation/resource-row';
import type { HeldVersion, ResourceState } from '../../observation/resource-state';
import { findOriginalVantage } from '../../observation/vantage';

/** The answer to the newest response that carried the resource; null if none did, or if the source reports no answers. */
export function buildAnswer(state: ResourceState, report: ClientReport): Answer | null {
  const { clientStatus, lastUpdated, errorState, stage, unanswered } = state;
  const { sourceId } = report;
  if (unanswered !== undefined) {
    return { status: 'NO_ANSWER', versionInfo: unanswered.versionInfo, at: unanswered.at, sourceId };
  }
  if (clientStatus === 'NACKED') {
    const { versionInfo: rejected = '', lastUpdateAttempt: at = null } = errorState ?? {};
    return { status: 'NACKED', versionInfo: rejected, at, sourceId };
  }
  if (clientStatus !== 'ACKED' || stage !== undefined) return null;
  return { status: 'ACKED', versionInfo: ackedVersionOf(state, report), at: lastUpdated, sourceId };
}

/** What the client runs; null if nothing, or if it is not known. */
export function buildEffect(state: ResourceState, report: ClientReport): Effect | null {
  const inEffect = isAckOfRejected(state) ? state.otherVersions?.find(isActive) : state;
  const stage = effectStageOf(state);
  if (inEffect === undefined || stage === undefined || state.errorState?.mayBeInEffect) return null;
  if (isInDoubt(state)) return null;
  const { hash, lastUpdated } = inEffect;
  const versionInfo = inEffect === state ? ackedVersionOf(state, report) : inEffect.versionInfo;
  if (hash === null && versionInfo === '') return null;
  const evidence = evidenceOf(state, report);
  return { stage, versionInfo, hash, since: lastUpdated, evidence, sourceId: report.sourceId };
}

function evidenceOf({ stage, isStatic }: ResourceState, report: ClientReport): Effect['evidence'] {
  if (stage !== undefined || isStatic) return 'config_dump';
  const vantage = findOriginalVantage(report);
  return vantage === 'tap' || vantage === 'probe' ? 'ack' : 'csds';
}

function isActive({ stage }: HeldVersion): boolean {
  return stage === 'active';
}
