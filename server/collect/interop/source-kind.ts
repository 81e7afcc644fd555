import type { RemoteSourceOptions } from '../collector/remote-source';
import {
  type AuthenticatedSetup,
  authenticatedKind,
  type TargetListSetup,
} from '../source-kind/polled-targets';
import { defineSourceKind } from '../source-kind/source-kind';
import type { InteropSetup } from './poll';
import type { TestClientSource, TestClients } from './test-clients';

type InteropSourceSetup = AuthenticatedSetup<'interop'>;

const polled = authenticatedKind('interop', 'a test client', {
  targets:
    'poll this client of the gRPC xDS interop tests, which also serves CSDS there: its RPCs by method and status (repeatable)',
  dns: 'poll test clients at every address of this name, resolved at an interval (repeatable)',
  files:
    'poll the test clients of this file, read again when it changes; formats as of --csds-file (repeatable)',
  interval: 'time between two polls of a test client, as in 1s or 500ms',
});

interface InteropCollector {
  open(kind: 'interop', options: RemoteSourceOptions<InteropSetup>): TestClientSource;
}

/** Clients of the gRPC xDS interop tests: they serve LoadBalancerStatsService, and CSDS on the same port. */
export const interopKind = defineSourceKind<
  InteropSourceSetup,
  { readonly testClients: TestClients; readonly collector: InteropCollector },
  TargetListSetup<InteropSourceSetup>
>()({
  ...polled,
  read: ({ interop: targets, interopDns: dns, interopFiles: files }, context) =>
    polled.readTargets({ targets, dns, files }, context),
  start(source, { testClients, collector, ...parts }) {
    const opened = collector.open('interop', polled.opened(source, parts));
    testClients.add(opened);
    return opened;
  },
});
