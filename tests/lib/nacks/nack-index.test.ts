import { describe, expect, it } from 'vitest';
import { countOpen, stateOfGroup, timesOf } from '@/lib/nacks/nack-group';
import { NackIndex } from '@/lib/nacks/nack-index';
import type { ClientConfigChanged, NackSent, Observation, Vantage } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS, RDS } from '@/lib/xds/resource-type';
import { sampleNode, sampleResource } from '../../support/builders/observation-samples';

const text =
  'xDS response validation errors: [resource index 0: cl: INVALID_ARGUMENT: errors validating Cluster resource: [field:lb_policy error:LB policy is not supported]]';
const detail =
  'INVALID_ARGUMENT: errors validating Cluster resource: [field:lb_policy error:LB policy is not supported]';

const row = (over: Partial<ResourceState> = {}): ResourceState =>
  sampleResource({ name: 'cl', versionInfo: 'v1', lastUpdated: null, hash: 'good', ...over });

const rejected = (versionInfo: string, details = detail, over: Partial<ResourceState> = {}): ResourceState =>
  row({
    clientStatus: 'NACKED',
    errorState: { details, versionInfo, lastUpdateAttempt: null, failedHash: 'bad' },
    ...over,
  });

class Log {
  readonly book: NackIndex;
  #seq = 0;

  constructor(bounds: { maxGroups?: number; maxClientsPerGroup?: number } = {}) {
    this.book = new NackIndex({ idOf: (key) => key, ...bounds });
  }

  emit(observation: Observation): string[] {
    this.#seq += 1;
    return [...this.book.fold({ ...observation, seq: this.#seq })];
  }

  /** `at` is in seconds. */
  nack(at: number, changed: readonly ResourceState[], over: Partial<NackSent> = {}): string[] {
    return this.emit({
      kind: 'nack-sent',
      at: at * 1000,
      vantage: 'tap',
      sourceId: 'tap-1',
      clientId: 'a',
      streamId: 's',
      typeUrl: CDS.typeUrl,
      versionInfo: 'v1',
      rejectedVersion: 'v2',
      nonce: `n${at}`,
      errorDetail: text,
      changed,
      removed: [],
      ...over,
    });
  }

  config(at: number, changed: readonly ResourceState[], over: Partial<ClientConfigChanged> = {}): string[] {
    return this.emit({
      kind: 'client-config-changed',
      at: at * 1000,
      vantage: 'csds',
      sourceId: 'csds-1',
      clientId: 'a',
      side: 'client',
      node: sampleNode('a'),
      scope: '',
      changed,
      removed: [],
      ...over,
    });
  }

  get groups() {
    return [...this.book.groups.values()];
  }

  /** The only NACK of the only group. */
  get only() {
    const [group] = this.groups;
    const [rejection] = group?.clients.values() ?? [];
    if (group === undefined || rejection === undefined) throw new Error('expected a NACK, got none');
    expect(this.groups.length).toBe(1);
    expect(group.clients.size).toBe(1);
    return { group, rejection };
  }
}

describe('NackIndex', () => {
  it('groups equal NACKs of several clients and versions', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    log.nack(2, [rejected('v3', text)], { clientId: 'b', sourceId: 'tap-2' });
    log.nack(3, [rejected('v4', text)]);
    const [group] = log.groups;
    expect(log.groups.length).toBe(1);
    expect(group).toMatchObject({ typeUrl: CDS.typeUrl, name: 'cl', firstAt: 1000, lastAt: 3000 });
    expect(
      [...(group?.clients.values() ?? [])].map((each) => [each.clientId, timesOf(each), each.versionInfo]),
    ).toEqual([
      ['a', 2, 'v4'],
      ['b', 1, 'v3'],
    ]);
  });

  it('keeps other resources and other texts apart', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text), rejected('v2', 'other', { name: 'cl-2' })]);
    log.nack(2, [rejected('v2', 'another reason', { name: 'cl-2' })], { clientId: 'b' });
    expect(log.groups.map(({ name }) => name)).toEqual(['cl', 'cl-2', 'cl-2']);
  });

  it('counts a NACK that a stream and CSDS report once, with two vantages', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    log.config(2, [rejected('v2')]);
    const { rejection } = log.only;
    expect(timesOf(rejection)).toBe(1);
    expect([...rejection.reportedBy.values()].map(({ vantage }): Vantage => vantage)).toEqual([
      'tap',
      'csds',
    ]);
  });

  it('counts the NACKs that one observation stands for', () => {
    const log = new Log();
    log.nack(1, [rejected('v2')], { repeats: 900 });
    log.nack(2, [rejected('v2')]);
    log.nack(3, [rejected('v2')], { repeats: 99 });
    expect(timesOf(log.only.rejection)).toBe(1_000);
  });

  it('does not count repeated CSDS reports, and counts new attempts', () => {
    const log = new Log();
    const attempt = (seconds: number) =>
      rejected('v2', detail, {
        errorState: {
          details: detail,
          versionInfo: 'v2',
          lastUpdateAttempt: seconds * 1000,
          failedHash: null,
        },
      });
    expect(log.config(2, [attempt(1)])).toHaveLength(1);
    expect(log.config(3, [attempt(1)])).toEqual([]);
    log.config(5, [attempt(4)]);
    expect(timesOf(log.only.rejection)).toBe(2);
    expect(log.only.group).toMatchObject({ firstAt: 1000, lastAt: 4000 });
  });

  it('takes the time of the rejection from a client that reports it, not that of the first poll', () => {
    const log = new Log();
    const errorState = { details: detail, versionInfo: 'v2', lastUpdateAttempt: 1000, failedHash: 'bad' };
    log.config(90, [rejected('v2', detail, { errorState })]);
    expect(log.only.group).toMatchObject({ firstAt: 1000, lastAt: 1000 });
  });

  it('contains the accepted version and body that resolved the NACK', () => {
    const log = new Log();
    log.config(1, [rejected('v2')]);
    expect(stateOfGroup(log.only.group)).toBe('open');
    log.config(2, [row({ versionInfo: 'v3', hash: 'resolved' })]);
    expect(stateOfGroup(log.only.group)).toBe('resolved');
    expect(log.only.rejection.ended).toEqual({
      at: 2000,
      seq: 2,
      by: { kind: 'accepted', versionInfo: 'v3', hash: 'resolved' },
    });
  });

  it('is not opened again by CSDS after a stream resolved it', () => {
    const log = new Log();
    const old = rejected('v2', detail, {
      errorState: { details: detail, versionInfo: 'v2', lastUpdateAttempt: 900, failedHash: null },
    });
    log.nack(1, [rejected('v2', text)]);
    log.config(2, [old]);
    log.emit({
      kind: 'ack-sent',
      at: 3000,
      vantage: 'tap',
      sourceId: 'tap-1',
      clientId: 'a',
      streamId: 's',
      typeUrl: CDS.typeUrl,
      versionInfo: 'v3',
      nonce: 'n3',
      changed: [row({ versionInfo: 'v3' })],
      removed: [],
    });
    log.config(4, [old]);
    expect(log.only.rejection.ended?.by.kind).toBe('accepted');
  });

  it('is not resolved by an older report', () => {
    const log = new Log();
    log.nack(5, [rejected('v2', text)]);
    log.config(6, [row({ versionInfo: 'v1', lastUpdated: 4000 })]);
    expect(log.only.rejection.ended).toBeUndefined();
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ])('is resolved by a report of other content, whatever its time, by a clock that is %s', (_, skewMs) => {
    const log = new Log();
    log.nack(5, [rejected('v2', text)]);
    log.config(6, [row({ versionInfo: 'v1', lastUpdated: 4_000_000 + skewMs })]);
    expect(log.only.rejection.ended).toBeUndefined();
    log.config(7, [row({ versionInfo: 'v3', hash: 'new', lastUpdated: 7_000 + skewMs })]);
    expect(log.only.rejection.ended?.by.kind).toBe('accepted');
  });

  it('opens again when the resource is rejected again', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    log.config(2, [row({ versionInfo: 'v3' })]);
    log.nack(3, [rejected('v4', text)]);
    expect(log.only.rejection).toMatchObject({ ended: undefined, versionInfo: 'v4', firstAt: 1000 });
  });

  it.each([
    ['removed', { changed: [], removed: [{ typeUrl: CDS.typeUrl, name: 'cl' }] }],
    ['said not to exist', { changed: [row({ clientStatus: 'DOES_NOT_EXIST' })], removed: [] }],
  ] as const)('ends with a resource that is %s', (_, changes) => {
    const log = new Log();
    log.config(1, [rejected('v2')]);
    log.config(2, changes.changed, changes);
    expect(log.only.rejection.ended?.by).toEqual({ kind: 'removed' });
  });

  const gone = {
    kind: 'client-gone',
    at: 3000,
    vantage: 'csds',
    sourceId: 'csds-1',
    clientId: 'a',
    side: 'client',
    reason: 'why',
  } as const;

  it('stays open when the last source no longer reports the client, which is counted', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    log.config(2, [rejected('v2')]);
    log.emit(gone);
    expect(countOpen(log.only.group)).toEqual({ open: 1, terminated: 0 });

    const alone = new Log();
    alone.config(2, [rejected('v2')]);
    alone.emit(gone);
    expect(alone.only.rejection).toMatchObject({ ended: undefined, gone: { at: 3000, reason: 'why' } });
    expect(countOpen(alone.only.group)).toEqual({ open: 1, terminated: 1 });
    expect(stateOfGroup(alone.only.group)).toBe('open');
  });

  it('of a client that terminated is resolved or open again when the client returns', () => {
    const accepting = new Log();
    accepting.config(2, [rejected('v2')]);
    accepting.emit(gone);
    accepting.config(4, [row({ versionInfo: 'v3' })]);
    expect(stateOfGroup(accepting.only.group)).toBe('resolved');
    const rejecting = new Log();
    rejecting.config(2, [rejected('v2')]);
    rejecting.emit(gone);
    rejecting.config(4, [rejected('v2')]);
    expect(countOpen(rejecting.only.group)).toEqual({ open: 1, terminated: 0 });
    expect(timesOf(rejecting.only.rejection)).toBe(1);
  });

  it('stays open when the client restarts, whose first request drops what it held', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    const request = (at: number, responseNonce: string): Observation => ({
      ...{ kind: 'request-sent', at, vantage: 'tap', sourceId: 'tap-1', clientId: 'a', streamId: 't' },
      ...{ typeUrl: CDS.typeUrl, resourceNames: [], versionInfo: '', responseNonce, changed: [] },
      removed: [{ typeUrl: CDS.typeUrl, name: 'cl' }],
    });
    log.emit(request(2000, ''));
    expect(countOpen(log.only.group)).toEqual({ open: 1, terminated: 1 });
    log.nack(3, [rejected('v2', text)]);
    log.emit(request(4000, 'n3'));
    expect(stateOfGroup(log.only.group)).toBe('resolved');
  });

  const ack = (at: number, changed: readonly ResourceState[]): Observation => ({
    ...{ kind: 'ack-sent', at: at * 1000, vantage: 'tap', sourceId: 'tap-1', clientId: 'a', streamId: 's' },
    ...{ typeUrl: CDS.typeUrl, versionInfo: 'v3', nonce: `n${at}`, changed, removed: [] },
  });

  it('is not resolved by an ACK of the rejected payload, unless a poll reports it in effect', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    log.emit(ack(2, [rejected('v2', text, { clientStatus: 'ACKED', versionInfo: 'v3', hash: 'bad' })]));
    expect(stateOfGroup(log.only.group)).toBe('open');
    log.config(3, [row({ versionInfo: 'v3', hash: 'bad' })], { vantage: 'envoy-admin', sourceId: 'admin-1' });
    expect(stateOfGroup(log.only.group)).toBe('resolved');
  });

  it('is resolved by an ACK of the rejected payload of another process', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    log.emit({
      ...{ kind: 'stream-opened', at: 2000, vantage: 'tap', sourceId: 'tap-1', clientId: 'a', streamId: 't' },
      ...{ server: 's:1', method: 'm', node: sampleNode('a'), scope: '', cacheEmpty: true },
    });
    log.emit(ack(3, [rejected('v2', text, { clientStatus: 'ACKED', hash: 'bad' })]));
    expect(stateOfGroup(log.only.group)).toBe('resolved');
  });

  it('is not resolved by a poll that reports the rejected payload as warming, or without a time', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    const warming = row({ versionInfo: 'v3', hash: 'bad', stage: 'warming' });
    log.config(3, [warming], { vantage: 'envoy-admin', sourceId: 'admin-1' });
    log.config(4, [row({ hash: 'of endpoints', stage: 'active' })], {
      ...{ vantage: 'envoy-admin', sourceId: 'admin-1' },
    });
    expect(stateOfGroup(log.only.group)).toBe('open');
  });

  it('is resolved by an ACK of another payload, as of the earlier one', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    log.emit(ack(2, [row({ versionInfo: 'v3', hash: 'good' })]));
    expect(stateOfGroup(log.only.group)).toBe('resolved');
  });

  it('is resolved by a roll-back, after which Envoy reports the time of the first acceptance', () => {
    const admin = { vantage: 'envoy-admin', sourceId: 'admin-1' } as const;
    const errorState = { details: detail, versionInfo: '', lastUpdateAttempt: 5000, failedHash: 'bad' };
    const log = new Log();
    log.config(6, [rejected('v2', detail, { lastUpdated: 1000, errorState })], admin);
    log.config(8, [row({ versionInfo: 'v3', lastUpdated: 1000 })], admin);
    expect(stateOfGroup(log.only.group)).toBe('resolved');
  });

  it('of a whole type, which a statistic of Envoy shows, is the one that another source reports with its resource', () => {
    const counted = {
      details: '',
      versionInfo: '',
      lastUpdateAttempt: 1_000,
      failedHash: null,
      statistic: 's',
    };
    const ofType = row({ name: '', hash: null, clientStatus: 'NACKED', errorState: counted });
    const admin = { vantage: 'envoy-admin', sourceId: 'admin-1' } as const;
    const first = new Log();
    first.config(1, [ofType], admin);
    expect(first.groups).toMatchObject([{ name: '', text: '' }]);
    first.nack(2, [rejected('v2')]);
    expect(first.groups).toMatchObject([{ name: 'cl' }]);
    const second = new Log();
    second.nack(1, [rejected('v2')]);
    second.config(2, [ofType], admin);
    expect(second.groups).toMatchObject([{ name: 'cl' }]);
  });

  it('of a whole type is resolved when its row is no longer reported', () => {
    const log = new Log();
    const errorState = {
      details: '',
      versionInfo: '',
      lastUpdateAttempt: 1,
      failedHash: null,
      statistic: 's',
    };
    log.config(1, [row({ name: '', hash: null, clientStatus: 'NACKED', errorState })]);
    log.config(2, [], { removed: [{ typeUrl: CDS.typeUrl, name: '' }] });
    const [group] = log.groups;
    expect(group?.clients.get('a')?.ended?.by).toMatchObject({ kind: 'accepted' });
  });

  it('has the time of the newest NACK on a stream, although the row keeps the time of the first', () => {
    const log = new Log();
    const errorState = { details: text, versionInfo: 'v2', lastUpdateAttempt: 1000, failedHash: 'bad' };
    for (const at of [1, 2, 3]) log.nack(at, [rejected('v2', text, { errorState })]);
    expect(log.only.group).toMatchObject({ firstAt: 1000, lastAt: 3000 });
    expect(timesOf(log.only.rejection)).toBe(3);
  });

  it('is counted once if polls report one attempt beside several accepted versions', () => {
    const errorState = { details: detail, versionInfo: '', lastUpdateAttempt: 5000, failedHash: 'bad' };
    const log = new Log();
    for (const versionInfo of ['v1', 'v3'])
      log.config(6, [rejected('', detail, { versionInfo, errorState })]);
    expect(timesOf(log.only.rejection)).toBe(1);
  });

  it('moves to another group when the reason changes', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    log.nack(2, [rejected('v3', 'another reason')]);
    const [first, second] = log.groups;
    expect(first?.clients.get('a')?.ended?.by).toEqual({ kind: 'rejected-otherwise', groupId: second?.id });
    expect(stateOfGroup(second ?? log.only.group)).toBe('open');
  });

  it("joins a control plane's ERROR without a text to the client's NACK, in either order", () => {
    const error = [row({ clientStatus: 'UNKNOWN', configStatus: 'ERROR' })];
    const plane = { side: 'control-plane', sourceId: 'csds-2' } as const;
    for (const isPlaneFirst of [true, false]) {
      const log = new Log();
      if (isPlaneFirst) log.config(1, error, plane);
      log.config(2, [rejected('v2')]);
      if (!isPlaneFirst) log.config(3, error, plane);
      expect(log.only.group.text).toBe(detail);
    }
  });

  describe('of a control plane that reports every row of a type as rejected', () => {
    const plane = { side: 'control-plane', sourceId: 'csds-2' } as const;
    const rows = (details: string): ResourceState[] =>
      ['cl', 'x', 'y'].map((name) =>
        row({
          name,
          clientStatus: 'UNKNOWN',
          configStatus: 'ERROR',
          errorState: { details, versionInfo: 'v2', lastUpdateAttempt: null, failedHash: null },
        }),
      );

    it('uses the resources that the text names', () => {
      const log = new Log();
      log.config(1, rows(text), plane);
      expect(log.groups.map(({ name }) => name)).toEqual(['cl']);
    });

    it('uses the resources that the text names if the row is about the whole type, until the type is in sync', () => {
      const whole = (details: string): ResourceState => ({ ...(rows(details)[0] ?? row()), name: '' });
      const log = new Log();
      log.config(1, [whole('Error adding/updating cluster(s) a: bad, b: worse')], plane);
      log.config(1, [whole('Error adding/updating cluster(s) c: bad')], { ...plane, clientId: 'b' });
      expect(log.groups.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
      log.config(2, [row({ name: '', configStatus: 'SYNCED' })], plane);
      expect(log.groups.map(stateOfGroup)).toEqual(['resolved', 'resolved', 'open']);
    });

    it('is one NACK without a resource if the text names none, until the type is in sync', () => {
      const log = new Log();
      log.config(1, rows('resource index 1 is bad'), plane);
      expect(log.only.group.name).toBe('');
      log.config(2, [row({ name: 'x', configStatus: 'SYNCED', versionInfo: 'v3' })], plane);
      expect(log.only.rejection.ended?.by.kind).toBe('accepted');
    });

    it.each([true, false])(
      'is that of the resource which the client rejects (report of the control plane first: %s)',
      (isPlaneFirst) => {
        const log = new Log();
        if (isPlaneFirst) log.config(1, rows('resource index 1 is bad'), plane);
        log.config(2, [rejected('v2')]);
        if (!isPlaneFirst) log.config(3, rows('resource index 1 is bad'), plane);
        expect(log.groups.map(({ name }) => name)).toEqual(['cl']);
      },
    );
  });

  it('contains the accepted version before, never the rejected body', () => {
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    expect(log.only.rejection.good).toEqual({ versionInfo: 'v1', hash: 'good' });
    const first = new Log();
    first.nack(1, [rejected('v2', text, { versionInfo: 'v2', hash: 'bad' })]);
    expect(first.only.rejection.good).toBeUndefined();
  });

  it('keeps the accepted body if another source reports its version without one, in either order', () => {
    const bodiless = rejected('v2', text, { hash: null });
    const seenFirst = new Log();
    seenFirst.nack(1, [rejected('v2', text)]);
    seenFirst.config(2, [bodiless]);
    expect(seenFirst.only.rejection.good).toEqual({ versionInfo: 'v1', hash: 'good' });
    const reportedFirst = new Log();
    reportedFirst.config(1, [bodiless]);
    reportedFirst.nack(2, [rejected('v2', text)]);
    expect(reportedFirst.only.rejection.good).toEqual({ versionInfo: 'v1', hash: 'good' });
    reportedFirst.config(3, [rejected('v3', text, { versionInfo: 'v2', hash: null })]);
    expect(reportedFirst.only.rejection.good).toEqual({ versionInfo: 'v2', hash: null });
  });

  it("does not treat the body of a control plane's ERROR as the accepted one", () => {
    const error = row({ clientStatus: 'UNKNOWN', configStatus: 'ERROR', versionInfo: 'v2', hash: 'bad' });
    const plane = { side: 'control-plane', sourceId: 'csds-2' } as const;
    const log = new Log();
    log.nack(1, [rejected('v2', text)]);
    log.config(2, [error], plane);
    expect(log.only.rejection.good).toEqual({ versionInfo: 'v1', hash: 'good' });
  });

  it("keeps errors of several resources apart if the client's text only counts them and its CSDS reports them", () => {
    const said = [
      'Cluster message validation failed: [a_b is bad]',
      'Cluster message validation failed: [c_d is]',
    ];
    const whole = `xDS response validation errors: [resource index 1: ${said[0]}; resource index 4: ${said[1]}]`;
    const of = (name: string, details: string) => rejected('v2', details, { name });
    const log = new Log();
    log.nack(1, [of('first', whole), of('second', whole)], { errorDetail: whole });
    expect(log.groups.map((group) => [group.name, group.text])).toEqual([
      ['first', said[0]],
      ['second', said[1]],
    ]);
    log.config(2, [of('first', said[0] ?? ''), of('second', said[1] ?? '')]);
    expect(log.groups).toHaveLength(2);
  });

  it('lists the accepted resources of the same response', () => {
    const log = new Log();
    log.nack(1, [
      rejected('v2', text),
      row({ name: 'x', versionInfo: 'v2' }),
      row({ name: 'y', versionInfo: 'v2' }),
    ]);
    expect(log.only.rejection.accepted).toEqual({ names: ['x', 'y'], total: 2 });
  });

  it('uses the resources of the text if no source reports rows, and the type if the text names none', () => {
    const log = new Log();
    log.nack(1, []);
    expect(log.groups.map(({ name }) => name)).toEqual(['cl']);
    log.nack(2, [], { typeUrl: RDS.typeUrl, errorDetail: 'no idea' });
    expect(log.groups.map(({ name }) => name)).toEqual(['cl', '']);
    log.emit({
      kind: 'ack-sent',
      at: 3000,
      vantage: 'tap',
      sourceId: 'tap-1',
      clientId: 'a',
      streamId: 's',
      typeUrl: RDS.typeUrl,
      versionInfo: 'v3',
      nonce: 'n3',
      changed: [],
      removed: [],
    });
    expect(log.groups[1]?.clients.get('a')?.ended?.by).toEqual({
      kind: 'accepted',
      versionInfo: 'v3',
      hash: null,
    });
  });

  it('is bounded: the groups that were resolved first are evicted first, and counted', () => {
    const log = new Log({ maxGroups: 2, maxClientsPerGroup: 2 });
    log.nack(1, [rejected('v2', text, { name: 'open' })]);
    log.nack(2, [rejected('v2', text, { name: 'resolved' })]);
    log.config(3, [row({ name: 'resolved', versionInfo: 'v3' })]);
    log.nack(4, [rejected('v2', text, { name: 'third' })]);
    expect(log.groups.map(({ name }) => name)).toEqual(['open', 'third']);
    expect(log.book.groupsLeftOut).toBe(1);
    for (const clientId of ['b', 'c']) log.nack(5, [rejected('v2', text, { name: 'third' })], { clientId });
    expect([...(log.groups[1]?.clients.keys() ?? [])]).toEqual(['b', 'c']);
    expect(log.groups[1]?.clientsLeftOut).toBe(1);
  });
});
