import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { inEffect } from '@/lib/facts/effect';
import { combinedState } from '@/lib/observation/combined-state';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { messageType } from '@/server/codec/root';

const address = { socket_address: { address: '127.0.0.1', port_value: 80 } };
const bootstrap = {
  node: { id: 'edge' },
  admin: { address },
  static_resources: { listeners: [{ name: 'web', address }], clusters: [{ name: 'cart' }] },
};
const type = (name: string) => `type.googleapis.com/envoy.admin.v3.${name}`;
const dumped = { '@type': type('BootstrapConfigDump'), bootstrap };

/** The state of a bootstrap and of each static resource, and whether it is in effect. */
function statesOf(bytes: Uint8Array): string[] {
  const marker = createRedactionMarker(Buffer.from('tests'));
  const batches = planReport(bytes).reports.flatMap((report) => [...readReport(report, marker)]);
  return batches
    .flatMap(({ rows }) => rows)
    .map((row) => {
      const state = { ...row, changedAt: 0 };
      return `${row.name} ${combinedState(state)} ${inEffect(state).kind}`;
    });
}

const encoded = messageType('envoy.config.bootstrap.v3.Bootstrap').encode(
  messageType('envoy.config.bootstrap.v3.Bootstrap').fromObject({
    staticResources: { listeners: [{ name: 'web' }], clusters: [{ name: 'cart' }] },
  }),
);

it.each([
  ['JSON', Buffer.from(JSON.stringify(bootstrap))],
  ['YAML', Buffer.from(stringify(bootstrap))],
  ['protobuf', encoded.finish()],
])('a bootstrap file (%s) does not state what is in effect', (_, bytes) => {
  expect(statesOf(bytes).toSorted()).toEqual([
    ...['bootstrap UNKNOWN unknown', 'cart UNKNOWN unknown', 'web UNKNOWN unknown'],
  ]);
});

it.each([
  ['with its bootstrap alone', { configs: [dumped] }],
  [
    'that lists them as well',
    {
      configs: [
        dumped,
        {
          '@type': type('ListenersConfigDump'),
          static_listeners: [
            {
              listener: {
                '@type': 'type.googleapis.com/envoy.config.listener.v3.Listener',
                name: 'web',
                address,
              },
            },
          ],
        },
      ],
    },
  ],
])('a config dump %s states that an Envoy runs them', (_, document) => {
  const states = statesOf(Buffer.from(JSON.stringify(document)));
  expect(states.toSorted()).toEqual([
    ...['bootstrap ACTIVE payload', 'cart ACTIVE payload', 'web ACTIVE payload'],
  ]);
});
