import * as z from 'zod';
import { authentication } from '../source-kind/named-credentials';
import { option } from '../source-kind/option';
import {
  type AuthenticatedSetup,
  authenticatedTargets,
  polledOptions,
  type TargetListSetup,
} from '../source-kind/polled-targets';
import { defineSourceKind, polledHealth } from '../source-kind/source-kind';
import type { CsdsThread } from './csds-thread';

type CsdsSourceSetup = AuthenticatedSetup<'csds'>;

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
const authenticated = authenticatedTargets('csds', 'a CSDS source', polled);

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
    authenticated.read({ targets, dns, files }, context),
  setUp: authenticated.setUp,
  show: authenticated.show,
  start: (source, { pollers, ...parts }) => pollers.open(authenticated.opened(source, parts)),
});
