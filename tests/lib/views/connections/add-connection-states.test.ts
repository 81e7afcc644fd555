import { expect, it } from 'vitest';
import { addConnectionStates } from '@/lib/views/connections/add-connection-states';
import { sampleConnection } from '@/tests/support/builders/observation-samples';

it('adds the state of a subchannel to the endpoint of its address, unless subchannels of the address disagree', () => {
  const node = (name: string, detail: string) => ({ kind: 'endpoint', name, detail }) as const;
  const of = (target: string, state: 'READY' | 'IDLE') => ({ ...sampleConnection, target, state });
  const nodes = [node('a:1', 'weight 3'), node('b:1', ''), node('c:1', ''), node('d:1', '')];
  const connections = [of('a:1', 'READY'), of('b:1', 'IDLE'), of('c:1', 'READY'), of('c:1', 'IDLE')];
  expect(addConnectionStates(nodes, connections).map(({ detail }) => detail)).toEqual([
    ...['weight 3 · READY', 'IDLE', '', ''],
  ]);
  expect(addConnectionStates(nodes, undefined)).toEqual(nodes);
  const channel = { ...of('d:1', 'READY'), kind: 'channel' } as const;
  expect(addConnectionStates(nodes, [channel])).toEqual(nodes);
});
