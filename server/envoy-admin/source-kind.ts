import { listOption, option } from '../config/option';
import { polledEntries, readPolled, requestPolled } from '../config/polled-targets';
import { defineSourceKind } from '../config/source-kind';
import type { PolledSetup, TargetListSetup } from '../config/target-list-setup';
import { interval } from '../config/values';
import type { AdminReader } from './admin-reader';
import { EnvoyAdminPoller } from './envoy-admin-poller';

/** Envoy's admin interface has neither TLS nor authentication. */
export interface EnvoyAdminSourceSetup extends PolledSetup {
  readonly kind: 'envoy-admin';
}

const entries = polledEntries({});

/** Admin interfaces of Envoys, over plain HTTP. */
export const envoyAdminKind = defineSourceKind<
  EnvoyAdminSourceSetup,
  { readonly envoys: AdminReader },
  TargetListSetup<EnvoyAdminSourceSetup>
>()({
  kind: 'envoy-admin',
  options: {
    envoyAdmin: listOption(
      '--envoy-admin <host:port>',
      'poll the admin interface of this Envoy: config dump, hosts, certificates (repeatable)',
      entries.targets,
      { namesServers: true },
    ),
    envoyAdminDns: listOption(
      '--envoy-admin-dns <host:port>',
      'poll the admin interface at every address that this name has, resolved again and again (repeatable)',
      entries.targets,
      { namesServers: true },
    ),
    envoyAdminFiles: listOption(
      '--envoy-admin-file <file>',
      'poll the admin interfaces of this file, read again when it changes; formats as of --csds-file (repeatable)',
      entries.files,
      { namesServers: true },
    ),
    envoyAdminInterval: option(
      '--envoy-admin-interval <time>',
      'time between two config dumps of an Envoy, as in 15s; hosts, certificates and the rest in proportion (default: 15s)',
      interval,
    ),
  },
  interval: { key: 'envoyAdminInterval', flag: '--envoy-admin-interval', usual: '15s' },
  read: ({ envoyAdmin: targets, envoyAdminDns: dns, envoyAdminFiles: files }, context) =>
    readPolled(
      { targets, dns, files },
      { flag: '--envoy-admin', targets: 'envoyAdmin', dns: 'envoyAdminDns', files: 'envoyAdminFiles' },
      context,
      (): EnvoyAdminSourceSetup => ({ kind: 'envoy-admin' }),
    ),
  setUp(input, credentials) {
    const { target } = requestPolled(input, { name: "Envoy's admin interface", known: [] }, credentials);
    return { target, setup: { kind: 'envoy-admin' } };
  },
  show: () => ({ security: 'plain', settings: null }),
  start: ({ target }, { envoys: answers, onForgotten: _, ...parts }) =>
    new EnvoyAdminPoller({ ...parts, target, answers, random: Math.random }),
});
