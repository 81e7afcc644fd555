import * as z from 'zod';
import { listOption } from '../source-kind/option';
import { defineSourceKind, listenSecurityOf, type ReportsOf } from '../source-kind/source-kind';
import { readTapSource, type TapSourceSetup, tapEntry } from './read-tap-source';
import type { TapThreads } from './tap-threads';

export const tapKind = defineSourceKind<
  TapSourceSetup,
  { readonly taps: TapThreads; readonly reportsOf: ReportsOf }
>()({
  kind: 'tap',
  optionsTitle: 'Taps',
  health: {
    connecting: 'does not listen yet',
    up: 'relays and records',
    down: 'does not listen, or cannot reach its management server',
    paused: 'relays and does not record',
  },
  options: {
    taps: listOption(
      '--tap <listen=upstream>',
      'relay clients that connect to LISTEN to their management server, and record what passes (repeatable)',
      z.array(tapEntry),
    ),
  },
  // Taps of the config file and of the command line are combined.
  read: (_, { stated, inFile, originOf, cwd }) => [
    ...(stated.taps ?? []).map((entry) => readTapSource(entry, '--tap', originOf('taps'), cwd)),
    ...(inFile.taps ?? []).map((entry, index) => readTapSource(entry, `taps.${index}`, 'config', cwd)),
  ],
  show: ({ settings }) => ({ security: listenSecurityOf(settings.listenTls) }),
  serverOf: ({ setup }) => setup.settings.upstream.text,
  nameServers: ({ kind, settings }) => {
    return { kind, settings: { ...settings, upstream: { ...settings.upstream, isNamed: true } } };
  },
  listeners: ({ settings }) => [
    {
      flag: '--tap',
      host: settings.listen.host,
      risk: 'every client that can connect is relayed to the management server',
    },
  ],
  start: ({ setup: { settings } }, { taps, reportsOf, sourceId, observe, clock, onStatus }) =>
    taps.open({ sourceId, observe, clock, onStatus, settings, reports: () => reportsOf(sourceId) }),
});
