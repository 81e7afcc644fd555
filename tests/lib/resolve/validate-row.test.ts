import { describe, expect, it } from 'vitest';
import type { BrokenRule } from '@/lib/resolve/rejection';
import { describeRejection } from '@/lib/resolve/rejection';
import { candidatesOf, findTrust, type ValidatedRow, validateRow } from '@/lib/resolve/validate-row';
import { CDS } from '@/lib/xds/resource-type';

const row: ValidatedRow = {
  typeUrl: CDS.typeUrl,
  versionInfo: '',
  hash: 'new',
  clientStatus: 'ACKED',
  errorState: null,
  sourceId: 'probe',
  side: 'client',
  controlPlane: null,
};
const report = (sourceId: string, vantage: 'probe' | 'csds' | 'dump' | 'lrs') =>
  ({ sourceId, vantage, side: 'client' }) as const;
const nobody = { ownSources: [], probes: [], reason: '' };
const key = { typeUrl: CDS.typeUrl, name: 'cart' };
const failed = (failedHash: string | null, versionInfo: string) => ({
  details: 'no',
  versionInfo,
  lastUpdateAttempt: null,
  failedHash,
});
const rule: BrokenRule = {
  ruleId: 'C6',
  fieldPath: 'lbPolicy',
  message: 'lbPolicy: expected ROUND_ROBIN, got MAGLEV',
  others: 1,
};

describe('findTrust', () => {
  it('trusts only clients of the profile', () => {
    const ownProfile = 'go-1.73';
    const reports = [report('csds', 'csds'), report('load', 'lrs')];
    expect(findTrust({ profile: 'go-1.73', ownProfile, reports })).toEqual({
      ownSources: ['csds'],
      probes: [],
      reason: '',
    });
    expect(findTrust({ profile: 'envoy-1.40', ownProfile, reports })).toEqual({
      ownSources: [],
      probes: [],
      reason:
        'the resources were accepted by a client treated as Go 1.73 to 1.74: the rules of Envoy 1.40 decide which of them are accepted',
    });
  });

  it('does not claim that rules are applied to what an Envoy lists as active', () => {
    const envoy = { profile: 'envoy-1.40', ownProfile: 'envoy-1.40' } as const;
    expect(findTrust({ ...envoy, reports: [report('file', 'dump')] }).reason).toBe(
      'the resources were read from a file: what the Envoy lists as active is in effect, and the rules of Envoy 1.40 decide which of the others it accepts',
    );
    expect(findTrust({ ...envoy, reports: [] }).reason).toBe(
      'the resources were reported by the control plane only: the rules of Envoy 1.40 decide which of them are accepted',
    );
  });

  it('states that only a probe, a dump or the control plane accepted the resource', () => {
    const reported = (...reports: ReturnType<typeof report>[]) =>
      findTrust({ profile: 'core-1.56', ownProfile: 'go-1.73', reports });
    expect(reported(report('probe', 'probe'))).toMatchObject({ ownSources: [], probes: ['probe'] });
    expect(reported(report('probe', 'probe')).reason).toContain("accepted by xdscope's probe");
    expect(reported(report('file', 'dump')).reason).toMatch(/^the resources were read from a file: /);
    expect(reported().reason).toContain('control plane');
  });
});

describe('candidatesOf', () => {
  it('has no candidates if the client itself reported the row', () => {
    expect(candidatesOf(row, { ...nobody, ownSources: ['probe'] })).toBeNull();
    expect(
      candidatesOf({ ...row, side: 'control-plane' }, { ...nobody, ownSources: ['probe'] }),
    ).toHaveLength(1);
  });

  it('puts the body that a probe rejected before the one that it kept', () => {
    const nacked = { ...row, clientStatus: 'NACKED', errorState: failed('bad', '2') } as const;
    expect(candidatesOf(nacked, { ...nobody, probes: ['probe'] })).toEqual([
      { hash: 'bad', isRejected: true },
      { hash: 'new', isRejected: false },
    ]);
  });

  it('identifies the rejected body by the version that the control plane sent', () => {
    const controlPlane = { sourceId: 'lab', versionInfo: '2', hash: 'sent', changedAt: '' };
    const nacked = { ...row, hash: null, clientStatus: 'NACKED', controlPlane } as const;
    expect(candidatesOf({ ...nacked, errorState: failed('good', '2') }, nobody)).toEqual([
      { hash: 'sent', isRejected: true },
    ]);
    expect(candidatesOf({ ...nacked, errorState: failed('bad', '1') }, nobody)).toEqual([]);
  });
});

describe('validateRow', () => {
  const bad = { hash: 'bad', isRejected: true };
  const good = { hash: 'good', isRejected: false };
  const validate = (candidates: Parameters<typeof validateRow>[1], broken: readonly string[]) =>
    validateRow(key, candidates, (hash) => (broken.includes(hash) ? rule : null), 'core-1.56');

  it('uses the newest body that violates no rule', () => {
    expect(validate([good], [])).toEqual({ hash: 'good', rejection: null, note: '' });
    expect(validate([], [])).toBeUndefined();
  });

  it('falls back to the previous body with the reason', () => {
    expect(validate([bad, good], ['bad'])).toEqual({
      hash: 'good',
      rejection: { ...key, ...rule, hash: 'bad', keepsEarlier: true },
      note: 'C-core 1.56 to 1.67 would reject it: C6 lbPolicy: expected ROUND_ROBIN, got MAGLEV, and 1 more; the last good config stays in use',
    });
  });

  it('uses none if all violate rules, and reports the newest', () => {
    expect(validate([bad, good], ['bad', 'good'])).toEqual({
      rejection: { ...key, ...rule, hash: 'bad', keepsEarlier: false },
      note: '',
    });
  });

  it.each(['crash', 'not serving'] as const)('uses none after a body with the reaction "%s"', (reaction) => {
    const broken = { ...rule, reaction };
    const judged = validateRow(key, [bad, good], (hash) => (hash === 'bad' ? broken : null), 'node-1.14');
    expect(judged).toMatchObject({ rejection: { hash: 'bad', reaction, keepsEarlier: false } });
    expect(judged?.hash).toBeUndefined();
  });

  it('names a body without answer', () => {
    expect(describeRejection({ ...rule, others: 0, reaction: 'no answer' }, 'java-1.60')).toBe(
      'Java 1.60 would send no answer to it: C6 lbPolicy: expected ROUND_ROBIN, got MAGLEV',
    );
  });

  it('accepts a body that another client rejected', () => {
    expect(validate([bad, good], [])).toMatchObject({
      hash: 'bad',
      rejection: null,
      note: 'it was rejected; C-core 1.56 to 1.67 would accept it',
    });
  });
});
