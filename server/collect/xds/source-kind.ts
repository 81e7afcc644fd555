import path from 'node:path';
import * as z from 'zod';
import { type NewSource, probeChoices, serverName } from '@/lib/views/sources/schema';
import { ConfigError } from '../../config-error';
import { BootstrapError } from '../../transport/bootstrap/bootstrap-error';
import {
  checkBootstrap,
  checkBootstrapClient,
  parseBootstrap,
} from '../../transport/bootstrap/read-bootstrap';
import type { ServerConfig } from '../../transport/bootstrap/server-config';
import type { Collects } from '../collector/collector';
import { requestedSecurity } from '../source-kind/named-credentials';
import { listOption, option } from '../source-kind/option';
import { explainSetting, SettingError } from '../source-kind/setting-error';
import { defineSourceKind, securityOf } from '../source-kind/source-kind';
import { number, text } from '../source-kind/values';
import type { ProbeSetup } from './probe/collect-probe';
import { assertNoTlsBeside, buildProbe, type ProbeSourceSetup, withTransport } from './settings/build-probe';
import { adsEntry, readAdsSources, readBootstrapSources } from './settings/read-ads-sources';
import { splitHeaders } from './settings/read-headers';

export const probeKind = defineSourceKind<
  ProbeSourceSetup,
  { readonly collector: Collects<'ads', ProbeSetup> }
>()({
  kind: 'ads',
  optionsTitle: 'Probe',
  health: {
    connecting: 'has no connection yet',
    up: 'is connected',
    down: 'is not connected',
    paused: 'is paused',
  },
  options: {
    ads: listOption(
      '--ads <host:port>',
      'subscribe to this management server with a probe (repeatable)',
      z.array(adsEntry),
      { namesServers: true },
    ),
    bootstrap: option(
      '--bootstrap <file>',
      'read management servers, authorities, credentials and node from this bootstrap file of gRPC (JSON) or Envoy (JSON, YAML)',
      text,
    ),
    targets: listOption(
      '--target <name>',
      'a name that the probe subscribes to: xds:///NAME, xds://AUTHORITY/NAME (repeatable; default: everything)',
      z.array(text),
    ),
    serverListeners: listOption(
      '--server-listener <host:port>',
      'subscribe as a gRPC server that listens at this address, by the template of the bootstrap (repeatable)',
      z.array(text),
    ),
    adsTransport: option(
      '--ads-transport <how>',
      'ads, delta-ads (one stream), sotw, delta (a stream per type) or rest (default: ads)',
      probeChoices.shape.transport.unwrap(),
    ),
    adsCrossCheck: option(
      '--ads-cross-check',
      'subscribe in the other variant, too (state of the world and delta), and report where the two receive different resources',
      probeChoices.shape.crossCheck.unwrap(),
    ),
    adsNodePreset: option(
      '--ads-node-preset <preset>',
      'identify as istio:NAME.NAMESPACE (a sidecar), istio-grpc:NAME.NAMESPACE (a proxyless gRPC client) or envoy-gateway:NAMESPACE/GATEWAY',
      probeChoices.shape.nodePreset.unwrap(),
    ),
    adsNodeBootstrap: option(
      '--ads-node-bootstrap <file>',
      'identify to the servers of --ads as the client of this bootstrap file of gRPC or Envoy: its node and transport alone are used',
      text,
    ),
    adsNodeId: option('--ads-node-id <id>', 'the id of the node', probeChoices.shape.nodeId.unwrap()),
    adsNodeCluster: option(
      '--ads-node-cluster <name>',
      'the cluster of the node',
      probeChoices.shape.nodeCluster.unwrap(),
    ),
    adsNodeLocality: option(
      '--ads-node-locality <locality>',
      'the locality of the node, as in REGION/ZONE/SUB_ZONE',
      probeChoices.shape.nodeLocality.unwrap(),
    ),
    adsNodeMetadata: option(
      '--ads-node-metadata <JSON>',
      'metadata of the node, as in {"CLUSTER_ID": "east"}',
      probeChoices.shape.nodeMetadata.unwrap(),
    ),
    adsServerName: option(
      '--ads-server-name <name>',
      'connect with TLS, and expect this name in the certificate of the server',
      serverName,
    ),
    adsHeaders: listOption(
      '--ads-header <name=value>',
      'request metadata; name=@file sends the content of a file, which is read for each call (repeatable)',
      z.array(text),
    ),
    adsMode: option(
      '--ads-mode <mode>',
      'observe: send no NACK; validate: NACK what a gRPC client NACKs (default: observe)',
      probeChoices.shape.mode.unwrap(),
    ),
    adsProfile: option(
      '--ads-profile <client>',
      'the client whose rules --ads-mode validate applies: core, go, java or node, or a range of versions as in go-1.64 (default: core)',
      probeChoices.shape.profile.unwrap(),
    ),
    errorModel: option(
      '--error-model <model>',
      'pre-a88: a deleted resource is removed; a88: it is kept, with an error (default: pre-a88)',
      probeChoices.shape.errorModel.unwrap(),
    ),
    maxMessageMegabytes: option(
      '--max-message-megabytes <MiB>',
      'largest message that the probe reads (default: 128)',
      number('a number of MiB, above 0 and at most 2047', (value) => value > 0 && value <= 2_047),
    ),
  },
  read(values, { env, cwd, credentials, originOf, namesServers }) {
    const { adsTransport: transport, adsCrossCheck: crossCheck, adsMode: mode, adsProfile: profile } = values;
    const { ads, bootstrap, targets, serverListeners, errorModel, maxMessageMegabytes } = values;
    const forAll = {
      ...{ transport, crossCheck, mode, profile, errorModel, maxMessageMegabytes },
      ...{ nodePreset: values.adsNodePreset, nodeId: values.adsNodeId, nodeCluster: values.adsNodeCluster },
      ...{ nodeLocality: values.adsNodeLocality, nodeMetadata: values.adsNodeMetadata },
    };
    const context = {
      ...{ cwd, credentials, targets, serverListeners, settings: forAll, serverName: values.adsServerName },
      nodeBootstrap: values.adsNodeBootstrap,
      headers: explainSetting('', () => splitHeaders(values.adsHeaders ?? [], '--ads-header')),
    };
    const { GRPC_XDS_BOOTSTRAP: named = '', GRPC_XDS_BOOTSTRAP_CONFIG: json = '' } = env;
    const ofBootstrap = () => {
      const fileOf = (name: string) => ({ file: path.resolve(cwd, name) });
      if (bootstrap !== undefined)
        return readBootstrapSources(fileOf(bootstrap), '--bootstrap', originOf('bootstrap'), context);
      // As in gRPC clients, the environment applies only if no server is specified.
      if (namesServers) return [];
      if (named !== '')
        return readBootstrapSources(fileOf(named), 'GRPC_XDS_BOOTSTRAP', 'environment', context);
      if (json === '') return [];
      return readBootstrapSources({ json }, 'GRPC_XDS_BOOTSTRAP_CONFIG', 'environment', context);
    };
    const sources = [
      ...(ads ?? []).flatMap((entry, index) =>
        readAdsSources(entry, `ads.${index}`, originOf('ads'), context),
      ),
      ...ofBootstrap(),
    ];
    if (targets !== undefined && sources.length === 0) {
      throw new ConfigError('--target: expected --ads or --bootstrap beside it, got neither');
    }
    if (serverListeners !== undefined && !sources.some(({ setup }) => setup.settings.templates !== null)) {
      throw new ConfigError('--server-listener: expected --bootstrap beside it, got none');
    }
    return sources;
  },
  setUp({ target, bootstrap: json, settings = {} }, all) {
    const { tls, credentials, ...choices } = settings;
    if (choices.transport === 'file') {
      throw new SettingError(
        'settings.transport',
        'expected a transport that reaches a server, got "file": files are named in the config file alone',
      );
    }
    const ignored: string[] = [];
    const parsed = json === undefined ? undefined : readBootstrapField(json);
    const isClientAlone = parsed !== undefined && target !== undefined;
    const client = isClientAlone ? asBootstrapField(() => checkBootstrapClient(parsed)) : undefined;
    const bootstrap =
      parsed === undefined || isClientAlone
        ? undefined
        : asBootstrapField(() => checkBootstrap(parsed, { ignored }));
    assertNoTlsBeside(bootstrap, tls, 'settings.tls');
    const secure = (servers: Parameters<typeof requestedSecurity>[1]) =>
      requestedSecurity({ tls, credentials }, servers, all);
    const chosen = withTransport(choices, bootstrap ?? client);
    return { ...buildProbe({ target, bootstrap, client, settings: chosen, secure }, 'settings.'), ignored };
  },
  show({ node, settings }) {
    const { transport, apiVersion, mode, profile, errorModel, interest, servers, authorities } = settings;
    const first = servers[0];
    return {
      security: first === undefined ? 'plain' : securityOf(first.credentials),
      settings: {
        ...{ transport, apiVersion, mode, profile, errorModel },
        nodeId: node.id,
        listeners: [...interest.listeners],
        resources: Object.fromEntries(
          [...interest.resources].map(([typeUrl, names]) => [typeUrl, [...names]]),
        ),
        servers: servers.map(showServer),
        authorities: [...authorities].map(([name, authority]) => ({
          name,
          servers: authority.servers.map(({ target }) => target.text),
        })),
      },
    };
  },
  serversOf({ settings: { servers, authorities } }) {
    const all = [...servers, ...[...authorities.values()].flatMap((authority) => authority.servers)];
    return all.map((server) => server.target.text);
  },
  serverOf: ({ target }) => target,
  nameServers({ settings, ...setup }) {
    const named = (server: ServerConfig): ServerConfig => {
      return { ...server, target: { ...server.target, isNamed: true } };
    };
    const authorities = [...settings.authorities].map(
      ([name, authority]) => [name, { ...authority, servers: authority.servers.map(named) }] as const,
    );
    return {
      ...setup,
      settings: { ...settings, servers: settings.servers.map(named), authorities: new Map(authorities) },
    };
  },
  start(
    { setup: { node, settings } },
    { collector, version, keepaliveMs, sourceId, observe, clock, onStatus },
  ) {
    const fullNode = { ...node, userAgentName: 'xdscope', userAgentVersion: version };
    return collector.open('ads', {
      sourceId,
      observe,
      clock,
      onStatus,
      vantage: 'probe',
      setup: { node: fullNode, settings: { ...settings, keepaliveMs } },
    });
  },
});

/** Parses a bootstrap in a request, which is JSON, or the text of JSON or YAML. */
export function readBootstrapField(bootstrap: NonNullable<NewSource['bootstrap']>): unknown {
  if (typeof bootstrap !== 'string') return bootstrap;
  return asBootstrapField(() => parseBootstrap(bootstrap, 'the bootstrap'));
}

function asBootstrapField<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BootstrapError) throw new SettingError('bootstrap', error.message);
    throw error;
  }
}

function showServer({ target, credentials, callCredentials }: ServerConfig) {
  return {
    target: target.text,
    security: securityOf(credentials),
    sendsToken: callCredentials.length > 0,
  };
}
