import { authentication } from '../source-kind/named-credentials';
import {
  type AuthenticatedSetup,
  authenticatedTargets,
  polledOptions,
  type TargetListSetup,
} from '../source-kind/polled-targets';
import { defineSourceKind, polledHealth } from '../source-kind/source-kind';
import type { ChannelzThread } from './channelz-thread';

type ChannelzSourceSetup = AuthenticatedSetup<'channelz'>;

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
const authenticated = authenticatedTargets('channelz', 'a channelz source', polled);

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
    authenticated.read({ targets, dns, files }, context),
  setUp: authenticated.setUp,
  show: authenticated.show,
  start: (source, { channelzPollers, ...parts }) => channelzPollers.open(authenticated.opened(source, parts)),
});
