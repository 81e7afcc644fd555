import type { ClientReport } from '../../observation/client-state';
import type { ResourceState } from '../../observation/observation';
import type { AnswerOf, EffectOf } from '../../observation/resource-row';
import { findOriginalVantage } from '../../observation/vantage';
import type { EpochMs } from '../../xds/units';

/** The answer to the newest response that carried the resource; null if none did, or if the source reports no answers. */
export function buildAnswer(
  { clientStatus, versionInfo, lastUpdated, errorState, stage, unanswered }: ResourceState,
  { sourceId }: ClientReport,
): AnswerOf<EpochMs> | null {
  if (unanswered !== undefined) {
    return { status: 'NO_ANSWER', versionInfo: unanswered.versionInfo, at: unanswered.at, sourceId };
  }
  if (clientStatus === 'NACKED') {
    const { versionInfo: rejected = '', lastUpdateAttempt: at = null } = errorState ?? {};
    return { status: 'NACKED', versionInfo: rejected, at, sourceId };
  }
  if (clientStatus !== 'ACKED' || stage !== undefined) return null;
  return { status: 'ACKED', versionInfo, at: lastUpdated, sourceId };
}

/** What the client runs; null if nothing, or if it is not known. */
export function buildEffect(state: ResourceState, report: ClientReport): EffectOf<EpochMs> | null {
  const { clientStatus, versionInfo, hash, lastUpdated, errorState, ambientError, stage } = state;
  const held = { versionInfo, hash, since: lastUpdated, sourceId: report.sourceId };
  if (hash === null && versionInfo === '') return null;
  if (stage !== undefined || state.isStatic) {
    return { ...held, stage: stage ?? 'active', evidence: 'config_dump' };
  }
  const vantage = findOriginalVantage(report);
  const evidence = vantage === 'tap' || vantage === 'probe' ? 'ack' : 'csds';
  if (clientStatus === 'DOES_NOT_EXIST') {
    // C-core up to 1.69 reports the config of a deleted resource, which it does not run, without an error.
    return errorState === null ? null : { ...held, stage: 'kept', evidence };
  }
  const isDeleted = ambientError?.code === 'NOT_FOUND';
  return { ...held, stage: isDeleted ? 'kept' : 'active', evidence };
}
