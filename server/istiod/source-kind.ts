import { readSecurity } from '../config/named-credentials';
import { listOption, option } from '../config/option';
import { polledEntries, readPolled, requestPolled } from '../config/polled-targets';
import { securityOf } from '../config/security-shown';
import { authentication } from '../config/source-entries';
import { defineSourceKind } from '../config/source-kind';
import type { PolledSetup, TargetListSetup } from '../config/target-list-setup';
import { interval, text } from '../config/values';
import type { SecurityConfig } from '../grpc/channel-security';
import { usualNodeId } from './debug-question';
import type { IstiodThread } from './istiod-thread';

export interface IstiodSourceSetup extends PolledSetup {
  readonly kind: 'istiod';
  readonly security: SecurityConfig;
  /** The node id of our requests. */
  readonly nodeId: string;
}

/** `nodeId`: a node id of the namespace that the token or certificate is of. */
const entries = polledEntries({ nodeId: text.optional(), ...authentication });

/** istiods, by their debug types on ADS. */
export const istiodKind = defineSourceKind<
  IstiodSourceSetup,
  { readonly istiods: IstiodThread },
  TargetListSetup<IstiodSourceSetup>
>()({
  kind: 'istiod',
  options: {
    istiod: listOption(
      '--istiod <host:port>',
      'poll this istiod for the sync status and the configs of its proxies, by its xDS debug types (repeatable)',
      entries.targets,
      { namesServers: true },
    ),
    istiodDns: listOption(
      '--istiod-dns <host:port>',
      'poll an istiod at every address that this name has, resolved again and again (repeatable)',
      entries.targets,
      { namesServers: true },
    ),
    istiodFiles: listOption(
      '--istiod-file <file>',
      'poll the istiods of this file, read again when it changes; formats as of --csds-file (repeatable)',
      entries.files,
      { namesServers: true },
    ),
    istiodInterval: option(
      '--istiod-interval <time>',
      'time between two questions for the sync status, as in 10s; configs are read when something was sent (default: 10s)',
      interval,
    ),
  },
  interval: { key: 'istiodInterval', flag: '--istiod-interval', usual: '10s' },
  read: ({ istiod: targets, istiodDns: dns, istiodFiles: files }, context) =>
    readPolled(
      { targets, dns, files },
      { flag: '--istiod', targets: 'istiod', dns: 'istiodDns', files: 'istiodFiles' },
      context,
      ({ nodeId = usualNodeId, ...entry }) => {
        return { kind: 'istiod', security: readSecurity(entry, context.credentials, context.cwd), nodeId };
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
  show: ({ security }) => ({ security: securityOf(security.credentials), settings: null }),
  start(
    { target, setup: { kind: vantage, ...how } },
    { istiods, isNamed, intervalMs, maxClients, ...parts },
  ) {
    const setup = { target, isNamed, ...how, intervalMs, maxClients };
    return istiods.open({ ...parts, vantage, setup });
  },
});
