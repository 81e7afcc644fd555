import { z } from 'zod';
import type { SecurityConfig } from '../grpc/channel-security';
import { authentication, readSecurity } from '../source-kind/named-credentials';
import { option } from '../source-kind/option';
import {
  type PolledSetup,
  polledOptions,
  readPolled,
  requestPolled,
  type TargetListSetup,
} from '../source-kind/polled-targets';
import { defineSourceKind, polledHealth, securityOf } from '../source-kind/source-kind';
import type { CsdsThread } from './csds-thread';

export interface CsdsSourceSetup extends PolledSetup {
  readonly kind: 'csds';
  readonly security: SecurityConfig;
}

const polled = polledOptions({
  name: 'csds',
  flag: '--csds',
  own: authentication,
  help: {
    targets: 'poll this CSDS endpoint: a client or a control plane (repeatable)',
    dns: 'poll CSDS at every address of this name, resolved at an interval (repeatable)',
    files:
      'poll the CSDS targets of this file, which is read again when it changes: lines of host:port, or JSON or YAML as in file_sd (repeatable)',
    interval: 'time between two polls of a target, as in 1s or 500ms',
  },
  usualInterval: '1s',
});

/** Clients and control planes that serve CSDS. */
export const csdsKind = defineSourceKind<
  CsdsSourceSetup,
  { readonly pollers: CsdsThread },
  TargetListSetup<CsdsSourceSetup>
>()({
  kind: 'csds',
  options: {
    ...polled.options,
    csdsChannelz: option(
      '--csds-channelz',
      'also poll the channelz of every CSDS target, for the connections of the client',
      z.boolean(),
    ),
  },
  health: polledHealth,
  interval: polled.interval,
  read: ({ csds: targets, csdsDns: dns, csdsFiles: files }, context) =>
    readPolled({ targets, dns, files }, polled, context, (entry) => ({
      kind: 'csds',
      security: readSecurity(entry, context.credentials, context.cwd),
    })),
  setUp(input, credentials) {
    const rules = {
      name: 'a CSDS source',
      settings: 'tls or credentials alone',
      known: ['tls', 'credentials'],
    };
    const { target, security } = requestPolled(input, rules, credentials);
    return { target, setup: { kind: 'csds', security } };
  },
  show: ({ security }) => ({ security: securityOf(security.credentials), settings: null }),
  start(
    { target, setup: { security, serverName } },
    { pollers, isNamed, intervalMs, keepaliveMs, maxClients, ...parts },
  ) {
    const setup = { target, isNamed, security, serverName, keepaliveMs, intervalMs, maxClients };
    return pollers.open({ ...parts, vantage: 'csds', setup });
  },
});
