import * as z from 'zod';
import type { SecurityConfig } from '../../transport/grpc/channel-security';
import type { Collects } from '../collector/collector';
import { authentication, readSecurity } from '../source-kind/named-credentials';
import {
  type PolledSetup,
  polledOptions,
  readPolled,
  requestPolled,
  type TargetListSetup,
} from '../source-kind/polled-targets';
import { defineSourceKind, polledHealth, securityOf } from '../source-kind/source-kind';
import { text } from '../source-kind/values';
import { usualNodeId } from './debug-request';
import type { IstiodSetup } from './poll';

interface IstiodSourceSetup extends PolledSetup {
  readonly kind: 'istiod';
  readonly security: SecurityConfig;
  /** The node id in the requests. */
  readonly nodeId: string;
  readonly metricsPort?: number | undefined;
}

const polled = polledOptions({
  name: 'istiod',
  flag: '--istiod',
  own: {
    nodeId: text.describe('node id of the namespace that the token or certificate is of').optional(),
    metricsPort: z
      .int()
      .min(1)
      .max(65_535)
      .describe(
        "port of istiod's metrics on the same host, which have its CPU time (default: 15014 if ADS is at 15010 or 15012)",
      )
      .optional(),
    ...authentication,
  },
  help: {
    targets:
      'poll this istiod for the sync status and the configs of its proxies, by its xDS debug types (repeatable)',
    dns: 'poll an istiod at every address of this name, resolved at an interval (repeatable)',
    files:
      'poll the istiods of this file, which is read again when it changes; formats as of --csds-file (repeatable)',
    interval:
      'time between two requests for the sync status, as in 10s; configs are read when something was sent',
  },
  usualInterval: '10s',
});

/** istiods, by their debug types on ADS. */
export const istiodKind = defineSourceKind<
  IstiodSourceSetup,
  { readonly collector: Collects<'istiod', IstiodSetup> },
  TargetListSetup<IstiodSourceSetup>
>()({
  kind: 'istiod',
  options: polled.options,
  health: polledHealth,
  interval: polled.interval,
  read: ({ istiod: targets, istiodDns: dns, istiodFiles: files }, context) =>
    readPolled(
      { targets, dns, files },
      polled,
      context,
      ({ nodeId = usualNodeId, metricsPort, ...entry }) => {
        const security = readSecurity(entry, context.credentials, context.cwd);
        return { kind: 'istiod', security, nodeId, ...(metricsPort !== undefined && { metricsPort }) };
      },
    ),
  setUp(input, credentials) {
    const rules = {
      name: 'an istiod',
      settings: 'tls or credentials, and nodeId, alone',
      known: ['tls', 'credentials', 'nodeId'],
    };
    const { target, security } = requestPolled(input, rules, credentials);
    return { target, setup: { kind: 'istiod', security, nodeId: input.settings?.nodeId ?? usualNodeId } };
  },
  show: ({ security }) => ({ security: securityOf(security.credentials) }),
  start(
    { target, setup: { kind: vantage, ...how } },
    { collector, isNamed, intervalMs, keepaliveMs, maxClients, ...parts },
  ) {
    const setup = { target, isNamed, ...how, intervalMs, keepaliveMs, maxClients };
    return collector.open('istiod', { ...parts, vantage, setup });
  },
});
