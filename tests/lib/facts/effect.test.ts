import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EffectState, inEffect } from '@/lib/facts/effect';
import { doubts, stages } from '@/lib/observation/effect-stage';
import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { clientStatuses } from '@/lib/xds/status';

const state = (over: Partial<EffectState>): EffectState => ({
  ...{ typeUrl: CDS.typeUrl, versionInfo: '', clientStatus: 'ACKED', hash: null, errorState: null },
  ...over,
});
const rejected = (over: Partial<EffectState> = {}, counted = {}): EffectState =>
  state({ clientStatus: 'NACKED', errorState: { failedHash: null, ...counted }, ...over });

/** Returns "payload HASH", "none" or "unknown HASH". */
function describeEffect(of: EffectState): string {
  const effect = inEffect(of);
  return effect.kind === 'none' ? 'none' : `${effect.kind} ${effect.hash ?? '-'}`;
}

describe('inEffect', () => {
  const warm = { stage: 'warming', hash: 'new' } as const;
  const active = [{ stage: 'active', hash: 'old' }] as const;
  const never = { successes: 0, statistic: 'sds.never.update_rejected' };
  it.each<[string, EffectState, string]>([
    ['an accepted payload', state({ hash: 'a', versionInfo: '1' }), 'payload a'],
    ['an accepted version without its body', state({ versionInfo: '1' }), 'payload -'],
    ['a rejected update of an accepted payload', rejected({ hash: 'a', versionInfo: '1' }), 'payload a'],
    ['a rejected update of a version without a body', rejected({ versionInfo: '1' }), 'payload -'],
    ['a first payload that was rejected', rejected(), 'none'],
    [
      'a first payload that a tap saw rejected',
      rejected({ hash: 'bad', errorState: { failedHash: 'bad' } }),
      'none',
    ],
    ['a rejection with no success, by a counter of Envoy', rejected({ typeUrl: RDS.typeUrl }, never), 'none'],
    ['one after successes, whose payload is not listed', rejected({}, { successes: 2 }), 'unknown -'],
    [
      'endpoints that Envoy lists before any was accepted',
      rejected({ typeUrl: EDS.typeUrl, stage: 'active', hash: 'empty' }, { successes: 0 }),
      'none',
    ],
    [
      'a secret that Envoy lists before any was accepted',
      state({ typeUrl: SDS.typeUrl, clientStatus: 'UNKNOWN', versionInfo: 'uninitialized', ...warm }),
      'none',
    ],
    [
      'a secret that Envoy rejected from the start and lists as active',
      rejected({ typeUrl: SDS.typeUrl, stage: 'active', hash: 'bad' }, { failedHash: 'bad', successes: 0 }),
      'none',
    ],
    [
      'a secret that Envoy rejected, ACKed on its next stream and lists as active',
      state({ typeUrl: SDS.typeUrl, stage: 'active', hash: 'bad', errorState: { failedHash: 'bad' } }),
      'unknown -',
    ],
    [
      'one whose private key the config dump redacts',
      state({
        ...{ typeUrl: SDS.typeUrl, stage: 'active', hash: 'redacted', versionInfo: '1' },
        errorState: { failedHash: 'bad', versionInfo: '1' },
      }),
      'unknown -',
    ],
    [
      'an accepted secret that Envoy lists beside a rejection of another one',
      rejected({ typeUrl: SDS.typeUrl, stage: 'active', hash: 'good' }, { failedHash: 'bad' }),
      'payload good',
    ],
    ['a cluster that warms for the first time', state(warm), 'none'],
    [
      'a listener that is replaced',
      state({ typeUrl: LDS.typeUrl, ...warm, otherVersions: active }),
      'payload old',
    ],
    ['a listener that drains', state({ stage: 'draining', hash: 'old' }), 'none'],
    ['a resource that was deleted', state({ clientStatus: 'DOES_NOT_EXIST', hash: 'a' }), 'none'],
    [
      'one that was deleted and kept',
      state({ clientStatus: 'DOES_NOT_EXIST', hash: 'a', errorState: { failedHash: null } }),
      'payload a',
    ],
    ['a requested resource', state({ clientStatus: 'REQUESTED' }), 'none'],
    ['a resource timer that expired', state({ clientStatus: 'TIMEOUT' }), 'none'],
    [
      'an ACK of a payload that was rejected',
      state({ hash: 'bad', errorState: { failedHash: 'bad' } }),
      'unknown -',
    ],
    [
      'the same, with what was active before',
      state({ hash: 'bad', errorState: { failedHash: 'bad' }, otherVersions: active }),
      'payload old',
    ],
    ['an answer in doubt', state({ hash: 'a', versionInfo: '1', doubt: 'not-recorded' }), 'unknown a'],
    ['a status that is not reported', state({ clientStatus: 'UNKNOWN' }), 'unknown -'],
  ])('%s', (_, of, expected) => {
    expect(describeEffect(of)).toBe(expected);
  });

  it('never returns the rejected payload, unless it was accepted under another version', () => {
    const states = fc.record({
      typeUrl: fc.constantFrom(LDS.typeUrl, RDS.typeUrl, CDS.typeUrl, EDS.typeUrl, SDS.typeUrl),
      versionInfo: fc.constantFrom('', '1', '2'),
      clientStatus: fc.constantFrom(...clientStatuses),
      hash: fc.constantFrom(null, 'a', 'bad'),
      errorState: fc.option(
        fc.record({
          failedHash: fc.constant('bad'),
          versionInfo: fc.constant('2'),
          successes: fc.constantFrom(undefined, 0, 3),
        }),
      ),
      stage: fc.constantFrom(undefined, ...stages),
      doubt: fc.constantFrom(undefined, ...doubts),
    });
    fc.assert(
      fc.property(states, (of) => {
        const effect = inEffect(of);
        if (effect.kind !== 'payload' || effect.hash !== 'bad' || of.errorState === null) return;
        const isReportedActive = of.stage === 'active';
        const isAcceptedBefore = of.versionInfo === '1';
        const isOtherError = of.clientStatus !== 'NACKED' && of.clientStatus !== 'ACKED';
        expect(isReportedActive || isAcceptedBefore || isOtherError).toBe(true);
      }),
    );
  });
});
