import type { Collects } from '../collector/collector';
import {
  type AuthenticatedSetup,
  authenticatedKind,
  type TargetListSetup,
} from '../source-kind/polled-targets';
import { defineSourceKind } from '../source-kind/source-kind';
import type { ChannelzSetup } from './poll';

type ChannelzSourceSetup = AuthenticatedSetup<'channelz'>;

const polled = authenticatedKind('channelz', 'a channelz source', {
  targets:
    'poll the channelz of this gRPC process, which also serves CSDS there: its connections to endpoints and management servers (repeatable)',
  dns: 'poll channelz at every address of this name, resolved at an interval (repeatable)',
  files:
    'poll the channelz targets of this file, read again when it changes; formats as of --csds-file (repeatable)',
  interval: 'time between two polls of a process, as in 1s or 500ms',
});

/** gRPC processes that serve channelz, and CSDS on the same port. */
export const channelzKind = defineSourceKind<
  ChannelzSourceSetup,
  { readonly collector: Collects<'channelz', ChannelzSetup> },
  TargetListSetup<ChannelzSourceSetup>
>()({
  ...polled,
  read: ({ channelz: targets, channelzDns: dns, channelzFiles: files }, context) =>
    polled.readTargets({ targets, dns, files }, context),
  start: (source, { collector, ...parts }) => collector.open('channelz', polled.opened(source, parts)),
});
