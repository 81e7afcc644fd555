import { describe, expect, it } from 'vitest';
import { describeMismatch } from '@/lib/sync/describe-mismatch';
import { findFirstMismatch, isBehind } from '@/lib/sync/find-first-mismatch';
import type { PropagationStates } from '@/lib/sync/propagation-state';
import { sampleResource } from '../../support/builders/observation-samples';

const nobody: PropagationStates = { sotw: null, delta: null, controlPlane: null, client: null };
const [a, b] = [sampleResource({ hash: 'aa' }), sampleResource({ hash: 'bb' })];
const sent = sampleResource({ hash: 'aa', clientStatus: 'UNKNOWN', configStatus: 'SYNCED' });
const never = () => false;

function hopOf(states: Partial<PropagationStates>, isSame: (left: string, right: string) => boolean = never) {
  const { hop, compared } = findFirstMismatch({ ...nobody, ...states }, isSame);
  return { hop: hop && `${hop.from} ${hop.to} ${hop.kind}`, compared };
}

describe('findFirstMismatch', () => {
  it('returns the first place that differs from the previous one, not later ones', () => {
    expect(hopOf({ sotw: a, delta: a, controlPlane: sent, client: a })).toEqual({ hop: null, compared: 4 });
    expect(hopOf({ sotw: a, delta: b, controlPlane: sent, client: a }).hop).toBe('sotw delta content');
    expect(hopOf({ sotw: b, delta: b, controlPlane: sent, client: b }).hop).toBe(
      'delta controlPlane content',
    );
    expect(hopOf({ sotw: a, delta: a, controlPlane: sent, client: b }).hop).toBe(
      'controlPlane client content',
    );
  });

  it('ignores places without a report', () => {
    expect(hopOf({ sotw: a, client: b }).hop).toBe('sotw client content');
    expect(hopOf({ client: a })).toEqual({ hop: null, compared: 1 });
    expect(hopOf({ delta: a, controlPlane: sent })).toEqual({ hop: null, compared: 2 });
  });

  it('treats different bytes with the same meaning as equal', () => {
    expect(hopOf({ sotw: a, delta: b }, () => true).hop).toBeNull();
  });

  it('compares absent resources between the probes only', () => {
    expect(hopOf({ sotw: a, delta: 'unnamed' }).hop).toBe('sotw delta missing');
    expect(hopOf({ sotw: 'unnamed', delta: a }).hop).toBe('sotw delta extra');
    const gone = sampleResource({ clientStatus: 'DOES_NOT_EXIST', hash: null });
    expect(hopOf({ sotw: a, delta: gone }).hop).toBe('sotw delta missing');
    expect(hopOf({ sotw: gone, delta: gone, client: gone })).toEqual({ hop: null, compared: 3 });
    // A probe without a subscription to the resource is not a mismatch.
    expect(hopOf({ sotw: 'unnamed', delta: 'unnamed', controlPlane: sent, client: a })).toEqual({
      hop: null,
      compared: 2,
    });
    expect(hopOf({ controlPlane: 'unnamed', client: a })).toEqual({ hop: null, compared: 1 });
  });

  it('reports what a client runs instead of the sent resource', () => {
    const rejected = sampleResource({ clientStatus: 'NACKED', hash: 'aa' });
    const waiting = sampleResource({ clientStatus: 'REQUESTED', hash: null });
    const notSent = sampleResource({ clientStatus: 'UNKNOWN', configStatus: 'NOT_SENT', hash: null });
    expect(hopOf({ controlPlane: sent, client: rejected }).hop).toBe('controlPlane client rejected');
    expect(hopOf({ controlPlane: sent, client: waiting }).hop).toBe('controlPlane client waiting');
    expect(hopOf({ controlPlane: sent, client: 'unnamed' }).hop).toBe('controlPlane client missing');
    expect(hopOf({ sotw: a, controlPlane: notSent, client: waiting }).hop).toBe('sotw controlPlane missing');
    expect(hopOf({ controlPlane: notSent, client: a }).hop).toBe('controlPlane client extra');
    expect(hopOf({ controlPlane: notSent, client: { ...a, isStatic: true } }).hop).toBeNull();
  });

  it('compares versions only if both are from one stream', () => {
    const reported = { ...sent, hash: null, versionInfo: '7' };
    expect(hopOf({ controlPlane: reported, client: { ...a, versionInfo: '6' } }).hop).toBe(
      'controlPlane client version',
    );
    expect(hopOf({ sotw: { ...a, versionInfo: '6' }, controlPlane: reported }).hop).toBeNull();
  });

  it('sets apart what a probe received as another node, and prefers what the client itself differs in', () => {
    const nodes = { sotw: 'probe', delta: 'probe', controlPlane: 'shop', client: 'shop' };
    const find = (states: Partial<PropagationStates>) =>
      findFirstMismatch({ ...nobody, ...states }, never, nodes).hop;
    const ofOther = { from: 'delta', to: 'controlPlane', kind: 'content', isOfOtherNode: true };
    expect(find({ sotw: b, delta: b, controlPlane: sent, client: a })).toMatchObject(ofOther);
    const rejected = sampleResource({ clientStatus: 'NACKED', hash: 'cc' });
    const own = { from: 'controlPlane', to: 'client', kind: 'rejected' };
    expect(find({ sotw: b, delta: b, controlPlane: sent, client: rejected })).toMatchObject(own);
    expect(find({ sotw: b, delta: a, controlPlane: sent, client: a })).toMatchObject({ to: 'delta' });
    expect(find({ delta: b, client: rejected })).not.toHaveProperty('isOfOtherNode');
    expect(find({ delta: b, client: a })).toMatchObject({ isOfOtherNode: true });
    const asOneNode = { ...nodes, delta: 'shop' };
    const { hop } = findFirstMismatch({ ...nobody, delta: b, client: a }, never, asOneNode);
    expect(hop).not.toHaveProperty('isOfOtherNode');
  });

  it('uses the last resource that a probe received, even if it rejected it', () => {
    const errorState = { details: 'no', versionInfo: '2', lastUpdateAttempt: null, failedHash: 'bb' };
    const rejected = sampleResource({ clientStatus: 'NACKED', hash: 'aa', errorState });
    expect(hopOf({ sotw: rejected, delta: b }).hop).toBeNull();
    expect(hopOf({ sotw: rejected, delta: a }).hop).toBe('sotw delta content');
  });
});

describe('describeMismatch', () => {
  it('is a sentence for every hop', () => {
    expect(describeMismatch({ from: 'controlPlane', to: 'client', kind: 'content' })).toBe(
      'What the client reports it runs is not what the control plane reports it sent',
    );
    expect(describeMismatch({ from: 'sotw', to: 'delta', kind: 'missing' })).toBe(
      'Our delta probe does not have it; our state-of-the-world probe received it',
    );
    expect(describeMismatch({ from: 'sotw', to: 'controlPlane', kind: 'missing' })).toBe(
      'The control plane reports it has not sent it; our state-of-the-world probe received it',
    );
    expect(describeMismatch({ from: 'delta', to: 'client', kind: 'content', isOfOtherNode: true })).toBe(
      'What the client reports it runs is not what our delta probe received. The probe requests as another node, which may be sent other config',
    );
    expect(describeMismatch({ from: 'controlPlane', to: 'client', kind: 'waiting' })).toBe(
      'The client still waits for it; the control plane reports it sent it',
    );
  });
});

describe('isBehind', () => {
  const at = 100_000;
  const since = (state: typeof a, secondsAgo: number) => ({ ...state, changedAt: at - secondsAgo * 1_000 });
  const judge = (states: Partial<PropagationStates>) => {
    const { hop } = findFirstMismatch({ ...nobody, ...states }, never);
    return hop !== null && isBehind(hop, at);
  };
  const old = since(a, 3_600);

  it('is true for a client or a control plane within two polls after a change', () => {
    expect(judge({ controlPlane: since(sent, 20), client: since(b, 3_600) })).toBe(true);
    expect(judge({ controlPlane: since(sent, 40), client: since(b, 3_600) })).toBe(false);
    expect(judge({ sotw: since(b, 1), controlPlane: since(sent, 3_600), client: old })).toBe(true);
    expect(judge({ controlPlane: since(sent, 1), client: 'unnamed' })).toBe(true);
  });

  it('is true for the probes while an update may be in transit', () => {
    expect(judge({ sotw: since(b, 1), delta: old })).toBe(true);
    expect(judge({ sotw: since(b, 6), delta: old })).toBe(false);
  });

  it('is false for a resource that the client rejected', () => {
    const rejected = sampleResource({ clientStatus: 'NACKED', hash: 'aa', changedAt: at });
    expect(judge({ controlPlane: since(sent, 1), client: rejected })).toBe(false);
  });
});
