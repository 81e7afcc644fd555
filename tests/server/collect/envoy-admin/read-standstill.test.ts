import { expect, it } from 'vitest';
import { readStandstill } from '@/server/collect/envoy-admin/read-standstill';
import { readStatistics } from '@/server/collect/envoy-admin/read-statistics';

const valuesOf = (lines: readonly string[]): ReadonlyMap<string, number> =>
  new Map(
    lines.map((line) => {
      const [name = '', value] = line.split(': ');
      return [name, Number(value)];
    }),
  );

it.each([
  ['initializing', ['server.state: 3']],
  [
    'connections',
    ['server.state: 0', 'overload.envoy.overload_actions.stop_accepting_connections.active: 1'],
  ],
  ['requests', ['server.state: 0', 'overload.envoy.overload_actions.stop_accepting_requests.active: 1']],
  ['stopped', ['listener_manager.listener_stopped: 2', 'listener_manager.total_listeners_active: 2']],
])('reads why Envoy serves no request: %s', (word, lines) => {
  expect(readStandstill(valuesOf(lines))).toContain(word);
});

it.each([
  ['the health check of Envoy fails', ['server.state: 1']],
  ['an overload action is not active', ['overload.envoy.overload_actions.stop_accepting_requests.active: 0']],
  [
    'some of the listeners were stopped',
    ['listener_manager.listener_stopped: 1', 'listener_manager.total_listeners_active: 2'],
  ],
])('reads that Envoy serves requests although %s', (_, lines) => {
  expect(readStandstill(valuesOf(lines))).toBeUndefined();
});

it('is a part of the statistics of an Envoy', () => {
  expect(readStatistics('server.state: 2').standstill).toContain('initializing');
});
