import * as z from 'zod';
import { listOption, option } from '../source-kind/option';
import { defineSourceKind } from '../source-kind/source-kind';
import { interval, parseIntervalMs, parseListen, text } from '../source-kind/values';
import type { LrsSetup } from './collect-lrs';
import type { LrsThread } from './lrs-thread';

interface LrsSourceSetup extends LrsSetup {
  readonly kind: 'lrs';
  readonly listen: Required<LrsSetup['listen']>;
}

export const lrsKind = defineSourceKind<LrsSourceSetup, { readonly receivers: LrsThread }>()({
  kind: 'lrs',
  optionsTitle: 'Load reports',
  health: {
    connecting: 'does not listen yet',
    up: 'listens for load reports',
    down: 'does not listen',
    paused: 'rejects load reports',
  },
  options: {
    lrsListen: option('--lrs-listen <host:port>', 'receive load reports (LRS) on this address', z.string()),
    lrsInterval: option(
      '--lrs-interval <time>',
      'interval at which clients are requested to report, as in 10s (default: 5s)',
      interval,
    ),
    lrsClusters: listOption(
      '--lrs-cluster <name>',
      'a cluster to be reported (repeatable; default: all)',
      z.array(text),
    ),
    lrsEndpoints: option(
      '--lrs-endpoints',
      'request the load of each endpoint; clients that end the stream because of it are requested to report less',
      z.boolean(),
    ),
  },
  read({ lrsListen, lrsInterval = '5s', lrsClusters = null, lrsEndpoints: endpoints = false }, { originOf }) {
    const intervalMs = parseIntervalMs(lrsInterval, '--lrs-interval');
    if (lrsListen === undefined) return [];
    const { text: target, host, port } = parseListen('--lrs-listen', lrsListen);
    const request = { intervalMs, clusters: lrsClusters, endpoints };
    const setup = { kind: 'lrs', listen: { host, port }, request } as const;
    return [{ target, label: `load reports on ${target}`, origin: originOf('lrsListen'), setup }];
  },
  show: () => ({ security: 'plain' }),
  serversOf: () => [],
  listeners: ({ listen }) => [
    { flag: '--lrs-listen', host: listen.host, risk: 'any peer that reaches it can report load' },
  ],
  start: ({ setup: { listen, request } }, { receivers, sourceId, observe, clock, onStatus }) =>
    receivers.open({
      ...{ sourceId, observe, clock, onStatus },
      setup: { listen, ...(request !== undefined && { request }) },
    }),
});
