import { describe, expect, it } from 'vitest';
import type { BrokenRule } from '@/lib/resolve/rejection';
import { type HistoryRow, ValidatedHistory } from '@/lib/resolve/validated-history';
import { CDS } from '@/lib/xds/resource-type';

const rule: BrokenRule = { ruleId: 'C6', fieldPath: 'p', message: 'p: expected x, got y', others: 0 };
const brokenRuleOf = (hash: string) => (hash.startsWith('bad') ? rule : null);
const row = (hash: string | null, more: Partial<HistoryRow> = {}): HistoryRow => ({
  typeUrl: CDS.typeUrl,
  name: 'a',
  versionInfo: '',
  hash,
  clientStatus: hash === null ? 'REQUESTED' : 'ACKED',
  errorState: null,
  sourceId: 'probe',
  side: 'client',
  controlPlane: null,
  ...more,
});
const start = () =>
  new ValidatedHistory('core-1.56', { ownSources: ['own'], probes: ['probe'], reason: 'rules' });

describe('ValidatedHistory', () => {
  it('keeps the last good body in use while bad ones are received', () => {
    const history = start();
    const hashes = ['bad 1', 'good 1', 'bad 2', 'bad 3', 'good 2'].map(
      (hash) => history.take(row(hash), brokenRuleOf)?.hash,
    );
    expect(hashes).toEqual([undefined, 'good 1', 'good 1', 'good 1', 'good 2']);
    expect(history.take(row('bad 4'), brokenRuleOf)?.rejection).toMatchObject({
      hash: 'bad 4',
      keepsEarlier: true,
    });
  });

  it('keeps nothing of a removed resource, or of one that was requested again', () => {
    const history = start();
    history.take(row('good'), brokenRuleOf);
    history.remove(row(null));
    expect(history.take(row('bad'), brokenRuleOf)?.hash).toBeUndefined();
    history.take(row('good'), brokenRuleOf);
    expect(history.take(row(null, { clientStatus: 'DOES_NOT_EXIST' }), brokenRuleOf)).toBeUndefined();
    expect(history.take(row('bad'), brokenRuleOf)?.hash).toBeUndefined();
  });

  it("accepts reports of the profile's own client", () => {
    expect(start().take(row('bad', { sourceId: 'own' }), brokenRuleOf)).toBeUndefined();
  });
});
