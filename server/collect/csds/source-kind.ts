import * as z from 'zod';
import type { Collects } from '../collector/collector';
import { option } from '../source-kind/option';
import {
  type AuthenticatedSetup,
  authenticatedKind,
  type TargetListSetup,
} from '../source-kind/polled-targets';
import { defineSourceKind } from '../source-kind/source-kind';
import type { CsdsSetup } from './poll';

type CsdsSourceSetup = AuthenticatedSetup<'csds'>;

const polled = authenticatedKind('csds', 'a CSDS source', {
  targets: 'poll this CSDS endpoint: a client or a control plane (repeatable)',
  dns: 'poll CSDS at every address of this name, resolved at an interval (repeatable)',
  files:
    'poll the CSDS targets of this file, which is read again when it changes: lines of host:port, or JSON or YAML as in file_sd (repeatable)',
  interval: 'time between two polls of a target, as in 1s or 500ms',
});

/** Clients and control planes that serve CSDS. */
export const csdsKind = defineSourceKind<
  CsdsSourceSetup,
  { readonly collector: Collects<'csds', CsdsSetup> },
  TargetListSetup<CsdsSourceSetup>
>()({
  ...polled,
  options: {
    ...polled.options,
    csdsChannelz: option(
      '--csds-channelz',
      'also poll the channelz of every CSDS target, for the connections of the client',
      z.boolean(),
    ),
  },
  read: ({ csds: targets, csdsDns: dns, csdsFiles: files }, context) =>
    polled.readTargets({ targets, dns, files }, context),
  start: (source, { collector, ...parts }) => collector.open('csds', polled.opened(source, parts)),
});
