import { expect, it } from 'vitest';
import { ServerNames } from '@/lib/issues/server-names';
import type { Connection } from '@/lib/observation/connection';

/** The channel of a process, with the addresses to which its subchannels lead. */
function channelTo(target: string, addresses: readonly string[], isManagementServer = true): Connection[] {
  const base = { state: 'READY', since: 1 } as const;
  return [
    {
      ...{ ...base, id: 'channel 1', kind: 'channel', target, channels: [] },
      ...(isManagementServer && { isManagementServer: true as const }),
    },
    ...addresses.map(
      (address, index): Connection => ({
        ...{ ...base, id: `subchannel ${index}`, kind: 'subchannel', target: address },
        channels: ['channel 1'],
      }),
    ),
  ];
}

it.each([
  ['xds:18000', '10.0.0.5:18000', [channelTo('dns:///xds:18000', ['10.0.0.5:18000'])]],
  [
    'xds:18000',
    '10.0.0.6:18000, 10.0.0.5:18000',
    [channelTo('xds:18000', ['10.0.0.5:18000', 'ipv4:10.0.0.6:18000'])],
  ],
  ['a:1', 'b:1', [channelTo('b:1', ['10.0.0.5:1']), channelTo('a:1', ['10.0.0.5:1'])]],
  ['localhost:1', '127.0.0.1:1', [channelTo('localhost:1', ['127.0.0.1:1'])]],
  // Each machine has another server at an address of its loopback interface.
  ['127.0.0.1:1', '127.0.0.1:1', [channelTo('xds:1', ['127.0.0.1:1'])]],
  ['10.0.0.5:1', '10.0.0.5:1', [channelTo('cart:1', ['10.0.0.5:1'], false)]],
  ['10.0.0.5:1, 10.0.0.6:1', '10.0.0.5:1, 10.0.0.6:1', [channelTo('xds:1', ['10.0.0.5:1'])]],
  ['10.0.0.9:1', '10.0.0.9:1', []],
])('finds %s for the server that is reported as %s', (expected, name, processes) => {
  const names = new ServerNames((key) => key);
  for (const connections of processes) names.learn(connections);
  expect(names.find(name)).toBe(expected);
});
