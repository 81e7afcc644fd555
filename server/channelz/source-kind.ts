import type { SecurityConfig } from '../grpc/channel-security';
import { authentication, readSecurity } from '../source-kind/named-credentials';
import {
  type PolledSetup,
  polledOptions,
  readPolled,
  requestPolled,
  type TargetListSetup,
} from '../source-kind/polled-targets';
import { defineSourceKind, polledHealth, securityOf } from '../source-kind/source-kind';
import type { ChannelzThread } from './channelz-thread';

export interface ChannelzSourceSetup extends PolledSetup {
  readonly kind: 'channelz';
  readonly security: SecurityConfig;
}

const polled = polledOptions({
  name: 'channelz',
  flag: '--channelz',
  own: authentication,
  help: {
    targets:
      'poll the channelz of this gRPC process, which also serves CSDS there: its connections to endpoints and management servers (repeatable)',
    dns: 'poll channelz at every address of this name, resolved at an interval (repeatable)',
    files:
      'poll the channelz targets of this file, read again when it changes; formats as of --csds-file (repeatable)',
    interval: 'time between two polls of a process, as in 1s or 500ms',
  },
  usualInterval: '1s',
});

/** gRPC processes that serve channelz, and CSDS on the same port. */
export const channelzKind = defineSourceKind<
  ChannelzSourceSetup,
  { readonly channelzPollers: ChannelzThread },
  TargetListSetup<ChannelzSourceSetup>
>()({
  kind: 'channelz',
  options: polled.options,
  health: polledHealth,
  interval: polled.interval,
  read: ({ channelz: targets, channelzDns: dns, channelzFiles: files }, context) =>
    readPolled({ targets, dns, files }, polled, context, (entry) => ({
      kind: 'channelz',
      security: readSecurity(entry, context.credentials, context.cwd),
    })),
  setUp(input, credentials) {
    const rules = {
      name: 'a channelz source',
      settings: 'tls or credentials alone',
      known: ['tls', 'credentials'],
    };
    const { target, security } = requestPolled(input, rules, credentials);
    return { target, setup: { kind: 'channelz', security } };
  },
  show: ({ security }) => ({ security: securityOf(security.credentials), settings: null }),
  start(
    { target, setup: { security, serverName } },
    { channelzPollers, isNamed, intervalMs, keepaliveMs, maxClients, ...parts },
  ) {
    const setup = { target, isNamed, security, serverName, keepaliveMs, intervalMs, maxClients };
    return channelzPollers.open({ ...parts, vantage: 'channelz', setup });
  },
});
