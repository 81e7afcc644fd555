import type { ResourceState } from '@/lib/observation/resource-state';
import { parseSocketTarget } from '../../transport/targets/socket-target';
import type { Collects } from '../collector/collector';
import {
  type PolledSetup,
  polledOptions,
  readPolled,
  requestPolled,
  type TargetListSetup,
} from '../source-kind/polled-targets';
import { SettingError } from '../source-kind/setting-error';
import { defineSourceKind, polledHealth, type ReportsOf } from '../source-kind/source-kind';
import { findEarlier } from './apply-statistics';
import type { EnvoyAdminSetup } from './collect-envoy-admin';
import { findRejectedSecrets } from './rejected-secrets';

/** Envoy's admin interface has neither TLS nor authentication. */
interface EnvoyAdminSourceSetup extends PolledSetup {
  readonly kind: 'envoy-admin';
}

const polled = polledOptions({
  name: 'envoyAdmin',
  flag: '--envoy-admin',
  own: {},
  help: {
    targets: 'poll the admin interface of this Envoy: config dump, hosts, certificates (repeatable)',
    dns: 'poll the admin interface at every address of this name, resolved at an interval (repeatable)',
    files:
      'poll the admin interfaces of this file, read again when it changes; formats as of --csds-file (repeatable)',
    interval:
      'time between two config dumps of an Envoy, as in 15s; hosts, certificates and the rest in proportion',
  },
  usualInterval: '15s',
  parse: parseSocketTarget,
  targetForm: 'host:port|unix:/path',
});

/** Admin interfaces of Envoys, over plain HTTP. */
export const envoyAdminKind = defineSourceKind<
  EnvoyAdminSourceSetup,
  { readonly collector: Collects<'envoy-admin', EnvoyAdminSetup>; readonly reportsOf: ReportsOf },
  TargetListSetup<EnvoyAdminSourceSetup>
>()({
  kind: 'envoy-admin',
  options: polled.options,
  health: polledHealth,
  interval: polled.interval,
  read: ({ envoyAdmin: targets, envoyAdminDns: dns, envoyAdminFiles: files }, context) =>
    readPolled(
      { targets, dns, files },
      polled,
      context,
      (): EnvoyAdminSourceSetup => ({ kind: 'envoy-admin' }),
    ),
  setUp(input, credentials) {
    if (/^unix:/i.test(input.target?.trim() ?? '')) {
      const reason =
        'expected host:port, got a Unix socket: start xdscope with it, as in --envoy-admin unix:/run/admin.sock';
      throw new SettingError('target', reason);
    }
    const { target } = requestPolled(input, { name: "Envoy's admin interface", known: [] }, credentials);
    return { target, setup: { kind: 'envoy-admin' } };
  },
  show: () => ({ security: 'plain' }),
  start: (
    { target, setup: { kind: vantage } },
    { collector, reportsOf, isNamed, intervalMs, maxClients: _, ...parts },
  ) => {
    const rows = [...rowsIn(reportsOf(parts.sourceId))];
    const earlier = { rejections: findEarlier(rows), secrets: findRejectedSecrets(rows) };
    return collector.open('envoy-admin', {
      ...parts,
      vantage,
      setup: { target, isNamed, intervalMs, earlier },
    });
  },
});

function* rowsIn(reports: ReturnType<ReportsOf>): Generator<ResourceState> {
  for (const { report } of reports) yield* report.resources.values();
}
