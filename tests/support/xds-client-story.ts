import type { Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { ProbeInterest } from '@/server/collect/xds/client/wanted-names';
import type { ProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import {
  ManagementServer,
  type ManagementServerOptions,
} from '@/server/lab/management-server/management-server';
import type { AuthorityConfig, ServerConfig } from '@/server/transport/bootstrap/server-config';
import { plainServer } from '@/server/transport/bootstrap/server-config';
import { ManualClock } from './recorder-manual-clock';
import { type ProbeStory, probeStory, targetOf } from './xds-probe-story';

/** Management servers and probes on one clock, closed together. */
export class ClientStories {
  readonly clock = new ManualClock();
  readonly #servers: ManagementServer[] = [];
  readonly #stories: ProbeStory[] = [];

  async server(
    options: Partial<ManagementServerOptions> = {},
  ): Promise<{ server: ManagementServer; target: string }> {
    const server = new ManagementServer({ clock: this.clock, ...options });
    this.#servers.push(server);
    return { server, target: await server.listen() };
  }

  start(target: string, settings: Partial<ProbeSettings> = {}): ProbeStory {
    const story = probeStory({ target, clock: this.clock, settings });
    this.#stories.push(story);
    story.probe.start();
    return story;
  }

  async close(): Promise<void> {
    await Promise.all(this.#stories.splice(0).map(({ probe }) => probe.close()));
    await Promise.all(this.#servers.splice(0).map((server) => server.close()));
  }
}

export function serverAt(target: string, ...features: string[]): ServerConfig {
  return { ...plainServer(targetOf(target)), features: new Set(features) };
}

export function authorityAt(...servers: ServerConfig[]): AuthorityConfig {
  return { servers, clientListenerResourceNameTemplate: '%s', fallbackOnReachabilityOnly: false };
}

export function listeners(...names: string[]): ProbeInterest {
  return { wildcard: false, listeners: names, resources: new Map() };
}

export function only(typeUrl: string, ...names: string[]): ProbeInterest {
  return { wildcard: false, listeners: [], resources: new Map([[typeUrl, names]]) };
}

/** The current rows by name. */
export function rowsOf(reported: readonly Observation[]): Map<string, ResourceState> {
  const rows = new Map<string, ResourceState>();
  for (const each of reported) {
    if (!('changed' in each)) continue;
    for (const { typeUrl, name } of each.removed) rows.delete(`${typeUrl} ${name}`);
    for (const row of each.changed) rows.set(`${row.typeUrl} ${row.name}`, row);
  }
  return new Map([...rows.values()].map((row) => [row.name, row]));
}
