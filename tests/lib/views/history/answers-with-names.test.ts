import { describe, expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { facetsOf } from '@/lib/observation/observation-facets';
import { StreamSteps } from '@/lib/replay/build-stream-steps';
import { buildEventResources } from '@/lib/views/history/build-event-resources';
import { buildFacts } from '@/lib/views/history/build-facts';
import { buildHistoryEvent } from '@/lib/views/history/build-history-event';
import { buildMessage } from '@/lib/views/history/build-message';
import { CDS, RDS } from '@/lib/xds/resource-type';
import { nodeOf, resourceOf } from '../../../support/builders/recorder-emissions';

type Of<K extends Observation['kind']> = Extract<Observation, { kind: K }>;

const { typeUrl } = CDS;
const base = { at: 1, vantage: 'tap', sourceId: 'tap:1', clientId: 'c', streamId: 's', typeUrl } as const;
const context = { nodeIdOf: () => 'c', findSource: () => undefined, pairSeq: undefined, pairMs: undefined };
const requested = resourceOf('new', { clientStatus: 'REQUESTED', hash: null });

const ack: Of<'ack-sent'> = {
  ...{ ...base, kind: 'ack-sent', versionInfo: '2', nonce: 'n2', tookMs: 12 },
  resourceNames: ['new'],
  unsubscribedNames: ['old'],
  changed: [resourceOf('cart', { versionInfo: '2' }), requested],
  removed: [{ typeUrl, name: 'old' }],
};
const nack: Of<'nack-sent'> = {
  ...{ ...ack, kind: 'nack-sent', rejectedVersion: '3', errorDetail: 'no', changed: [requested] },
};
const removal: Of<'response-received'> = {
  ...{ ...base, kind: 'response-received', versionInfo: '4', nonce: 'n4', sizeBytes: 9, controlPlane: '' },
  resources: [],
  removedNames: ['cart', 'old'],
};
const eventOf = (observation: Observation) => buildHistoryEvent({ ...observation, seq: 1 }, context);
const messageOf = (observation: Observation) =>
  JSON.parse(buildMessage(observation, { isDelta: true, requestedNames: null })?.json ?? '');

it.each([
  ['the first one of a stream is for everything', CDS.typeUrl, '', 'CDS request: everything'],
  ['a later one is for nothing', CDS.typeUrl, 'n1', 'CDS request: no names'],
  ['a type that has no wildcard is not requested', RDS.typeUrl, '', 'RDS request: no names'],
])('a request without names: %s', (_what, typeUrl, responseNonce, text) => {
  const fields = { versionInfo: '', responseNonce, resourceNames: [], changed: [], removed: [] };
  expect(eventOf({ ...base, kind: 'request-sent', ...fields, typeUrl }).text).toBe(text);
});

describe('an ACK or NACK that changes the subscription', () => {
  it('states the subscription beside the answer', () => {
    expect(eventOf(ack).text).toBe('ACK of CDS "2" after 12 ms, requests new, unsubscribes from 1');
    expect(eventOf(nack).text).toBe('NACK of CDS "3", requests new, unsubscribes from 1: no');
    expect(eventOf({ ...ack, resourceNames: [], unsubscribedNames: [] }).text).toContain('requests no names');
    expect(facetsOf(ack).names).toEqual(['new', 'old', 'cart', 'new', 'old']);
  });

  it('lists each resource of the answer and of the subscription', () => {
    expect(buildEventResources(ack).map(({ change, name }) => `${change} ${name}`)).toEqual([
      'changed cart',
      'asked new',
      'let-go old',
    ]);
  });

  it('is one message', () => {
    const names = { resourceNamesSubscribe: ['new'], resourceNamesUnsubscribe: ['old'] };
    expect(messageOf(ack)).toEqual({ typeUrl, ...names, responseNonce: 'n2' });
  });

  it('does not remove for a replay what the client unsubscribes from', () => {
    const steps = new StreamSteps({ clientId: 'c', sourceId: 'tap:1' }, undefined);
    const opened = { ...base, server: '', node: nodeOf('c'), scope: '', seq: 1 };
    steps.add({ ...opened, kind: 'stream-opened', method: 'StreamAggregatedResources' });
    const resources = [{ name: 'cart', hash: 'aa', sizeBytes: 1 }];
    steps.add({ ...removal, resources, removedNames: [], nonce: 'n2', seq: 2 });
    const { unsubscribedNames: _, ...sotw } = ack;
    const absent = resourceOf('absent', { clientStatus: 'DOES_NOT_EXIST', hash: null });
    steps.add({ ...sotw, resourceNames: ['cart', 'absent'], changed: [...ack.changed, absent], seq: 3 });
    expect(steps.steps()[0]?.types[0]?.removed).toEqual(['absent']);
  });
});

describe('a poll of REST without response_nonce and error_detail', () => {
  it.each([
    ['ACK', { ...ack, isInferred: true }, 'no response_nonce'],
    ['NACK', { ...nack, isInferred: true }, 'no error_detail'],
  ] as const)('that is an %s has none in its message, and states the evidence', (_, observation, text) => {
    const message = buildMessage(observation, { isDelta: false, requestedNames: null });
    expect(JSON.parse(message?.json ?? '')).toEqual({
      ...{ typeUrl, versionInfo: '2', resourceNames: ['new'] },
    });
    const fact = { label: 'Inferred', value: expect.stringContaining(text) };
    expect(buildFacts(observation)).toContainEqual(fact);
  });
});

describe('the removed_resources of a response', () => {
  it('are counted and listed', () => {
    expect(eventOf(removal)).toMatchObject({ nameCount: 2, removed: 2 });
    expect(buildFacts(removal)).toContainEqual({ label: 'Removed', value: '2 resources' });
    expect(buildEventResources(removal).map(({ change, name }) => `${change} ${name}`)).toEqual([
      'removed cart',
      'removed old',
    ]);
    expect(messageOf(removal)).toMatchObject({ removedResources: ['cart', 'old'] });
  });
});
