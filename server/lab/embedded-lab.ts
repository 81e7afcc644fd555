import type { LabProcess, LabResource, LabStatus } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { formatResourceType, normaliseTypeUrl } from '@/lib/xds/resource-type';
import { decodeBody } from '../codec/decode-body';
import { assertLabResource, type LabResourceInput } from './assert-lab-resource';
import { BackendServer } from './backends/backend-server';
import { ClientFleet } from './clients/client-fleet';
import type { Lab, LabOptions } from './lab';
import { ManagementServer } from './management-server/management-server';
import { everyNode } from './management-server/snapshot-store';
import { seededRandom } from './random';
import { findMischief, type Mischief, mischiefs } from './shop/mischief';
import { shopBackends } from './shop/shop-backends';
import { ShopMesh } from './shop-mesh';
import { findPort, usualPorts } from './usual-port';
import { Weather } from './weather';

const sourceId = 'lab:embedded';

/** See lab.ts. */
export class EmbeddedLab implements Lab {
  adsTarget = '';
  private readonly listeners = new Set<() => void>();
  private readonly backends: ReadonlyMap<string, BackendServer>;
  private readonly managementServer: ManagementServer;
  private readonly mesh: ShopMesh;
  private readonly weather: Weather;
  private readonly clients: ClientFleet;
  private readonly inTrouble = new Map<string, string>();
  private closed = false;

  constructor(private readonly options: LabOptions) {
    const { clock, addServices, seed = 1 } = options;
    const random = seededRandom(seed);
    this.backends = new Map(
      shopBackends.map((backend) => [
        backend.name,
        new BackendServer(backend, { clock, random: seededRandom(seed) }),
      ]),
    );
    this.managementServer = new ManagementServer({ clock, addServices });
    this.mesh = new ShopMesh(this.managementServer, (name) => this.backendOf(name).port);
    this.clients = new ClientFleet({
      clock,
      restart: options.clientRestart ?? true,
      tell: (what, subject, text) => this.tell(what, subject, text),
      onChange: () => this.changed(),
    });
    this.weather = new Weather(
      {
        state: () => this.mesh.state,
        setCanaryPercent: (percent) => this.setCanaryPercent(percent),
        setCatalogZoneWeight: (weight) => this.setCatalogZoneWeight(weight),
        stopBackend: (name) => this.breakBackend(name),
        startBackend: (name) => void this.reviveBackend(name),
        pushMischief: (name) => this.spoil(this.mischiefOf(name)),
        mendMischief: (name) => this.mend(this.mischiefOf(name)),
        isByHand: (name) => this.mesh.isByHand(this.mischiefOf(name).target),
      },
      { clock, random },
    );
  }

  get csdsTargets(): Lab['csdsTargets'] {
    return [...this.clients.csdsTargets, { target: this.adsTarget, label: 'lab control plane' }];
  }

  async start(): Promise<void> {
    const [adsTarget] = await Promise.all([
      findPort(usualPorts.managementServer).then((port) => this.managementServer.listen(port)),
      ...[...this.backends.values()].map(async (backend, index) => {
        backend.port = await findPort(usualPorts.firstBackend + index);
        await backend.start();
      }),
    ]);
    this.adsTarget = adsTarget;
    this.mesh.publish();
    await this.clients.start({ direct: adsTarget, usual: await this.openTap() });
    if (this.options.weather) this.weather.start();
  }

  status(): LabStatus {
    const { mischief } = this.mesh.state;
    return {
      running: !this.closed,
      weather: this.weather.isOn ? 'on' : 'off',
      processes: [this.managementServerProcess(), ...this.backendProcesses(), ...this.clients.processes()],
      mischief: mischiefs.map(({ name, text }) => ({ name, text, active: mischief.has(name) })),
    };
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  listResources(): LabResource[] {
    return this.managementServer.listResources().map(({ typeUrl, name, version, bytes }) => {
      return { typeUrl, name, version, resource: decodeBody(typeUrl, bytes).json };
    });
  }

  setResource(input: LabResourceInput): void {
    const resource = assertLabResource(input);
    this.mesh.set(resource);
    this.tell('resource-set', resource.name, `"${resource.name}" was set by hand`);
  }

  removeResource(typeUrl: string, name: string): void {
    this.mesh.remove({ typeUrl: normaliseTypeUrl(typeUrl), name });
    this.tell('resource-removed', name, `"${name}" was removed by hand`);
  }

  renewVersion(typeUrl?: string): void {
    const resources = this.managementServer.listResources();
    const renewed = resources.filter((each) => typeUrl === undefined || each.typeUrl === typeUrl);
    if (typeUrl !== undefined && renewed.length === 0) {
      const served = [...new Set(resources.map((each) => formatResourceType(each.typeUrl)))].join(', ');
      throw new Error(`type: expected one of ${served}, got "${formatResourceType(typeUrl)}"`);
    }
    this.managementServer.renew(everyNode, typeUrl);
    const subject = typeUrl === undefined ? 'all types' : formatResourceType(typeUrl);
    const text = `${subject}: ${formatCounted(renewed.length, 'resource')} sent again unchanged, under a new version`;
    this.tell('version-renewed', subject, text);
  }

  pushMischief(name: string): void {
    const mischief = this.mischiefOf(name);
    this.weather.leave(name);
    // The newest word of a person counts: what was set by hand under this name gives way.
    this.mesh.release(mischief.target);
    this.spoil(mischief);
  }

  mendMischief(name: string): void {
    const mischief = this.mischiefOf(name);
    this.weather.leave(name);
    this.mend(mischief);
  }

  stopBackend(name: string): void {
    const backend = this.backendOf(name);
    this.weather.leave(name);
    if (backend.isRunning) this.breakBackend(name);
  }

  async startBackend(name: string): Promise<void> {
    const backend = this.backendOf(name);
    this.weather.leave(name);
    if (!backend.isRunning) await this.reviveBackend(name);
  }

  setWeather(weather: 'on' | 'off'): void {
    if ((weather === 'on') === this.weather.isOn) return;
    if (weather === 'on') this.weather.start();
    else this.weather.stop();
    this.tell(`weather-${weather}`, 'weather', `the weather is ${weather}`);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.weather.stop();
    await this.clients.close();
    for (const backend of this.backends.values()) backend.stop();
    await this.managementServer.close();
  }

  /** Where clients find the management server. */
  private async openTap(): Promise<string> {
    const { openTap } = this.options;
    if (openTap === undefined) return this.adsTarget;
    // Not a usual one: it is bound later, by another thread, and clients must not meet the tap of another lab there.
    const listen = `127.0.0.1:${await findPort(0)}`;
    openTap({ listen, upstream: this.adsTarget });
    return listen;
  }

  private setCanaryPercent(percent: number): void {
    const before = this.mesh.state.canaryPercent;
    this.mesh.change({ canaryPercent: percent });
    const text = `catalog-canary takes ${percent} % of the catalog's calls, before ${before} %`;
    this.tell('weight-changed', 'web-routes', text);
  }

  private setCatalogZoneWeight(weight: number): void {
    const before = this.mesh.state.catalogZoneWeight;
    this.mesh.change({ catalogZoneWeight: weight });
    const text = `eu-west1-a weighs ${weight} in catalog-stable, before ${before}`;
    this.tell('weight-changed', 'catalog-stable', text);
  }

  /** The process dies, and the control plane's health check finds it dead. */
  private breakBackend(name: string): void {
    this.backendOf(name).stop();
    this.mesh.change({ unhealthy: new Set([...this.mesh.state.unhealthy, name]) });
    this.tell('backend-stopped', name, `${name} stopped, its endpoint is UNHEALTHY`);
  }

  /** Never rejects: a port that is taken meanwhile is a fact about the backend. */
  private async reviveBackend(name: string): Promise<void> {
    if (this.closed) return;
    try {
      await this.backendOf(name).start();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.inTrouble.set(name, reason);
      this.tell('backend-failed', name, reason);
      return;
    }
    this.inTrouble.delete(name);
    this.mesh.change({ unhealthy: new Set([...this.mesh.state.unhealthy].filter((each) => each !== name)) });
    this.tell('backend-started', name, `${name} is back, its endpoint is HEALTHY`);
  }

  private spoil({ name, target, text }: Mischief): void {
    this.mesh.change({ mischief: new Set([...this.mesh.state.mischief, name]) });
    this.tell('bad-resource-pushed', target.name, text);
  }

  private mend({ name, target }: Mischief): void {
    const { mischief, mended } = this.mesh.state;
    if (!mischief.has(name)) return;
    this.mesh.change({
      mischief: new Set([...mischief].filter((each) => each !== name)),
      mended: new Map([...mended, [name, (mended.get(name) ?? 0) + 1]]),
    });
    this.tell('bad-resource-mended', target.name, `"${target.name}" is whole again`);
  }

  private mischiefOf(name: string): Mischief {
    const found = findMischief(name);
    if (found === undefined) {
      const known = mischiefs.map((each) => each.name).join(', ');
      throw new Error(`mischief: expected one of ${known}, got "${name}"`);
    }
    return found;
  }

  private backendOf(name: string): BackendServer {
    const found = this.backends.get(name);
    if (found === undefined) throw new Error(`backend: expected the name of one, got "${name}"`);
    return found;
  }

  private managementServerProcess(): LabProcess {
    return {
      name: 'lab-control-plane',
      kind: 'management-server',
      address: this.adsTarget,
      state: this.closed ? 'stopped' : 'running',
      pid: process.pid,
      restarts: 0,
      locality: null,
      text: 'ADS in both variants, CSDS and LRS; in the process of xdscope itself',
    };
  }

  private backendProcesses(): LabProcess[] {
    return [...this.backends.values()].map(({ backend, isRunning, port }) => {
      const { name, locality, priority, latencyMs, failPercent } = backend;
      const trouble = this.inTrouble.get(name);
      const traits = [
        `priority ${priority}`,
        ...(latencyMs > 50 ? [`slow, ${latencyMs} ms`] : []),
        ...(failPercent > 0 ? [`fails ${failPercent} % of its calls`] : []),
      ];
      return {
        name,
        kind: 'backend',
        address: `127.0.0.1:${port}`,
        state: trouble !== undefined ? 'crashed' : isRunning ? 'running' : 'stopped',
        pid: process.pid,
        restarts: 0,
        locality,
        text: trouble ?? traits.join(', '),
      };
    });
  }

  private tell(what: string, subject: string, text: string): void {
    if (this.closed) return;
    const { observe, clock } = this.options;
    const at = clock.now();
    observe({
      observation: { kind: 'lab-event', at, vantage: 'lab', sourceId, what, subject, text },
      bodies: [],
    });
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
