import { formatCounted } from '@/lib/format/count';
import type {
  LabAssignment,
  LabAssignmentChange,
  LabBackendChange,
  LabProcess,
  LabResource,
  LabStatus,
} from '@/lib/views/lab/schema';
import { formatResourceType, normaliseTypeUrl } from '@/lib/xds/resource-type';
import { decodeBody } from '../codec/decode-body';
import { assertLabResource, type LabResourceInput } from './assert-lab-resource';
import { LabBackends } from './backends/lab-backends';
import { BackgroundFaults } from './background-faults';
import { ClientFleet } from './clients/client-fleet';
import type { Lab, LabOptions, PolledTarget } from './lab';
import { LoadReporter } from './load-reporter/load-reporter';
import { ConfigControl } from './management-server/config-control';
import { ManagementServer } from './management-server/management-server';
import { everyNode } from './management-server/snapshot-store';
import { findPort, listenOnBlock } from './port-block';
import { seededRandom } from './random';
import { type Fault, faults, findFault } from './shop/fault';
import { isOfEdge } from './shop/shop-edge';
import { usualWeight } from './shop/shop-endpoints';
import { type ShopLocality, shopAssignments, shopLocalities } from './shop/shop-localities';
import { ShopMesh } from './shop-mesh';

/** Seed of background faults and of the calls that fail. */
const seed = 1;
/** Source of observations about the lab itself. */
export const labSourceId = 'lab:embedded';
const managementServerName = 'lab-control-plane';

export class EmbeddedLab implements Lab {
  readonly #options: LabOptions;
  adsTarget = '';
  readonly #listeners = new Set<() => void>();
  readonly #backends: LabBackends;
  readonly #managementServer: ManagementServer;
  readonly #mesh: ShopMesh;
  readonly #backgroundFaults: BackgroundFaults;
  readonly #clients: ClientFleet;
  readonly #reporter: LoadReporter;
  #isServing = true;
  #closed = false;

  constructor(options: LabOptions) {
    this.#options = options;
    const { clock, addServices, findEnvoy } = options;
    const random = seededRandom(seed);
    this.#backends = new LabBackends({
      clock,
      seed,
      emitEvent: (what, subject, text) => this.#emitEvent(what, subject, text),
      onServing: (name) => this.#backgroundFaults.leave(name),
      onHealth: (names, isHealthy) => this.#setHealth(names, isHealthy),
    });
    const control = new ConfigControl({
      change: ({ set, removed }) => {
        this.#mesh.override({ set, removed });
        const text = `XdsConfigControlService set ${formatCounted(set.length, 'resource')} and removed ${removed.length}`;
        this.#emitEvent('resources-set', managementServerName, text);
      },
      listResources: () => this.#managementServer.listResources(),
      stop: (typeUrl, name) => {
        const requested = `"${name}" (${formatResourceType(typeUrl)})`;
        this.#stopManagementServer(`at a request for ${requested}, as XdsConfigControlService requested`);
      },
    });
    this.#managementServer = new ManagementServer({
      ...{ clock, isSeparate: isOfEdge },
      addServices: (server) => {
        control.addTo(server);
        addServices?.(server);
      },
    });
    this.#managementServer.onRequest((event) => control.receive(event));
    this.#mesh = new ShopMesh(this.#managementServer, (name) => this.#backends.portOf(name));
    this.#clients = new ClientFleet({
      clock,
      ...(findEnvoy && { findEnvoy }),
      onEnvoy: (listenerPort) => this.#mesh.serveEdge(listenerPort),
      emitEvent: (what, subject, text) => this.#emitEvent(what, subject, text),
      onChange: () => this.#changed(),
    });
    this.#reporter = new LoadReporter({
      clock,
      random: seededRandom(seed),
      state: () => this.#mesh.state,
      portOf: (name) => this.#backends.portOf(name),
      onChange: () => this.#changed(),
    });
    this.#backgroundFaults = new BackgroundFaults(
      {
        state: () => this.#mesh.state,
        setCanaryPercent: (percent) => this.#setCanaryPercent(percent),
        setWeight: (locality, weight) => this.#setWeights([locality], weight),
        stopBackend: (name) => this.#backends.stop([name]),
        startBackend: (name) => void this.#backends.revive([name]),
        pushFault: (name) => this.#inject(this.#faultOf(name)),
        revertFault: (name) => this.#revert(this.#faultOf(name)),
        isSetByUser: (name) => this.#mesh.isSetByUser(this.#faultOf(name).target),
      },
      { clock, random },
    );
  }

  get polledTargets(): readonly PolledTarget[] {
    const server = { kind: 'csds', target: this.adsTarget, label: 'lab control plane' } as const;
    return [...this.#clients.polledTargets, server];
  }

  async start(): Promise<void> {
    const { firstPort, result } = await listenOnBlock((port) => this.#managementServer.listen(port));
    this.adsTarget = result;
    await this.#backends.start(firstPort);
    this.#mesh.publish();
    await this.#clients.start({ direct: this.adsTarget, usual: await this.#openTap() }, firstPort);
    if (this.#options.backgroundFaults) this.#backgroundFaults.start();
  }

  status(): LabStatus {
    const { activeFaults } = this.#mesh.state;
    return {
      running: !this.#closed,
      backgroundFaults: this.#backgroundFaults.isOn ? 'on' : 'off',
      processes: [
        this.#managementServerProcess(),
        ...this.#backends.processes(),
        ...this.#clients.processes(),
        this.#reporter.process(),
      ],
      assignments: shopAssignments.map((name) => this.#assignmentOf(name)),
      faults: faults.map(({ name, text }) => ({ name, text, active: activeFaults.has(name) })),
    };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  listResources(): LabResource[] {
    return this.#managementServer.listResources().map(({ typeUrl, name, version, bytes }) => {
      return { typeUrl, name, version, resource: decodeBody(typeUrl, bytes).json };
    });
  }

  setResource(input: LabResourceInput): void {
    const resource = assertLabResource(input);
    this.#mesh.override({ set: [resource] });
    this.#emitEvent('resource-set', resource.name, `"${resource.name}" was set by hand`);
  }

  removeResource(typeUrl: string, name: string): void {
    this.#mesh.override({ removed: [{ typeUrl: normaliseTypeUrl(typeUrl), name }] });
    this.#emitEvent('resource-removed', name, `"${name}" was removed by hand`);
  }

  renewVersion(typeUrl?: string): void {
    const resources = this.#managementServer.listResources();
    const renewed = resources.filter((each) => typeUrl === undefined || each.typeUrl === typeUrl);
    if (typeUrl !== undefined && renewed.length === 0) {
      const served = [...new Set(resources.map((each) => formatResourceType(each.typeUrl)))].join(', ');
      throw new Error(`type: expected one of ${served}, got "${formatResourceType(typeUrl)}"`);
    }
    this.#managementServer.renew(everyNode, typeUrl);
    const subject = typeUrl === undefined ? 'all types' : formatResourceType(typeUrl);
    const text = `${subject}: ${formatCounted(renewed.length, 'resource')} sent again unchanged, under a new version`;
    this.#emitEvent('version-renewed', subject, text);
  }

  pushFault(name: string): void {
    const fault = this.#faultOf(name);
    this.#backgroundFaults.leave(name);
    // The newest change of a user takes effect: it replaces an earlier one of this resource.
    this.#mesh.release(fault.target);
    this.#inject(fault);
  }

  revertFault(name: string): void {
    const fault = this.#faultOf(name);
    this.#backgroundFaults.leave(name);
    this.#revert(fault);
  }

  stopBackend(name: string): void {
    this.#backgroundFaults.leave(name);
    this.#backends.stop([name]);
  }

  async startBackend(name: string): Promise<void> {
    this.#backgroundFaults.leave(name);
    await this.#backends.revive([name]);
  }

  async changeBackend(name: string, change: LabBackendChange): Promise<void> {
    await this.#changeBackends([name], change);
  }

  async changeAssignment(name: string, change: LabAssignmentChange): Promise<void> {
    const { dropPercent, weight } = change;
    const localities = findLocalities(name, change);
    if (dropPercent !== undefined) this.#setDropPercent(name, dropPercent);
    if (weight !== undefined) this.#setWeights(localities, weight);
    const backends = localities.flatMap((locality) => locality.backends);
    await this.#changeBackends(
      backends.map((backend) => backend.name),
      change,
    );
  }

  setBackgroundFaults(backgroundFaults: 'on' | 'off'): void {
    if ((backgroundFaults === 'on') === this.#backgroundFaults.isOn) return;
    if (backgroundFaults === 'on') this.#backgroundFaults.start();
    else this.#backgroundFaults.stop();
    this.#emitEvent(
      `background-faults-${backgroundFaults}`,
      'background-faults',
      `background faults are ${backgroundFaults}`,
    );
  }

  async setManagementServer(running: boolean): Promise<void> {
    if (running === this.#isServing) return;
    if (!running) {
      this.#stopManagementServer('by hand');
      return;
    }
    await this.#managementServer.listen(Number(this.adsTarget.split(':').at(-1)));
    this.#isServing = true;
    this.#emitEvent(
      'management-server-started',
      managementServerName,
      `${managementServerName} serves again`,
    );
  }

  setReporter(running: boolean): void {
    if (running === this.#reporter.isRunning) return;
    if (running) this.#reporter.start(this.adsTarget);
    else this.#reporter.stop();
    const { name } = this.#reporter.process();
    this.#emitEvent(
      running ? 'reporter-started' : 'reporter-stopped',
      name,
      `${name} ${running ? 'reports' : 'no longer reports'} load`,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#backgroundFaults.stop();
    this.#reporter.stop();
    await this.#clients.close();
    this.#backends.close();
    await this.#managementServer.close();
  }

  async #openTap(): Promise<string> {
    const { openTap } = this.#options;
    if (openTap === undefined) return this.adsTarget;
    // The port is arbitrary, because another thread binds it later: a usual port could belong to the tap of another lab
    // by then.
    const listen = `127.0.0.1:${await findPort(0)}`;
    openTap({ listen, upstream: this.adsTarget });
    return listen;
  }

  #stopManagementServer(why: string): void {
    this.#isServing = false;
    void this.#managementServer.close();
    const text = `${managementServerName} stopped ${why}`;
    this.#emitEvent('management-server-stopped', managementServerName, text);
  }

  #setCanaryPercent(percent: number): void {
    const before = this.#mesh.state.canaryPercent;
    this.#mesh.change({ canaryPercent: percent });
    const text = `catalog-canary takes ${percent}% of the catalog's calls, before ${before}%`;
    this.#emitEvent('weight-changed', 'web-routes', text);
  }

  #setWeights(localities: readonly ShopLocality[], weight: number): void {
    const before = this.#mesh.state.localityWeights;
    const changed = localities.filter(({ key }) => (before.get(key) ?? usualWeight) !== weight);
    if (changed.length === 0) return;
    this.#mesh.change({
      localityWeights: new Map([...before, ...changed.map(({ key }) => [key, weight] as const)]),
    });
    for (const { key, assignment, locality } of changed) {
      const text = `${locality.zone} weighs ${weight} in ${assignment}, before ${before.get(key) ?? usualWeight}`;
      this.#emitEvent('weight-changed', assignment, text);
    }
  }

  #setDropPercent(assignment: string, percent: number): void {
    const { dropPercents } = this.#mesh.state;
    const before = dropPercents.get(assignment) ?? 0;
    if (before === percent) return;
    this.#mesh.change({ dropPercents: new Map([...dropPercents, [assignment, percent]]) });
    const text = `clients drop ${percent}% of the calls to ${assignment}, before ${before}%`;
    this.#emitEvent('drops-changed', assignment, text);
  }

  /** Applies changes of users, which background faults do not revert. */
  async #changeBackends(names: readonly string[], { running, failPercent }: LabBackendChange): Promise<void> {
    for (const name of names) this.#backgroundFaults.leave(name);
    if (failPercent !== undefined) this.#backends.setFailPercent(names, failPercent);
    if (running === true) await this.#backends.revive(names);
    if (running === false) this.#backends.stop(names);
  }

  #setHealth(names: readonly string[], isHealthy: boolean): void {
    const { unhealthy } = this.#mesh.state;
    const others = [...unhealthy].filter((each) => !names.includes(each));
    this.#mesh.change({ unhealthy: new Set(isHealthy ? others : [...others, ...names]) });
  }

  #inject({ name, target, text }: Fault): void {
    this.#mesh.change({ activeFaults: new Set([...this.#mesh.state.activeFaults, name]) });
    this.#emitEvent('bad-resource-pushed', target.name, text);
  }

  #revert({ name, target }: Fault): void {
    const { activeFaults, reverted } = this.#mesh.state;
    if (!activeFaults.has(name)) return;
    this.#mesh.change({
      activeFaults: new Set([...activeFaults].filter((each) => each !== name)),
      reverted: new Map([...reverted, [name, (reverted.get(name) ?? 0) + 1]]),
    });
    this.#emitEvent(
      'bad-resource-reverted',
      target.name,
      `"${target.name}" was reverted to its valid content`,
    );
  }

  #faultOf(name: string): Fault {
    const found = findFault(name);
    if (found === undefined) {
      const known = faults.map((each) => each.name).join(', ');
      throw new Error(`fault: expected one of ${known}, got "${name}"`);
    }
    return found;
  }

  #managementServerProcess(): LabProcess {
    return {
      name: managementServerName,
      kind: 'management-server',
      address: this.adsTarget,
      state: this.#closed || !this.#isServing ? 'stopped' : 'running',
      pid: process.pid,
      restarts: 0,
      text: 'ADS in both variants, CSDS and LRS; in the process of xdscope itself',
    };
  }

  #assignmentOf(name: string): LabAssignment {
    const { dropPercents, localityWeights } = this.#mesh.state;
    return {
      name,
      dropPercent: dropPercents.get(name) ?? 0,
      localities: shopLocalities
        .filter(({ assignment }) => assignment === name)
        .map(({ key, priority, locality, backends }) => ({
          priority,
          locality,
          weight: localityWeights.get(key) ?? usualWeight,
          backends: backends.map((backend) => backend.name),
        })),
    };
  }

  #emitEvent(what: string, subject: string, text: string): void {
    if (this.#closed) return;
    const { observe, clock } = this.#options;
    const at = clock.now();
    observe({
      observation: { kind: 'lab-event', at, vantage: 'lab', sourceId: labSourceId, what, subject, text },
      bodies: [],
    });
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Finds the localities to which a change applies. Throws if there are none, with the expected and actual value. */
function findLocalities(
  assignment: string,
  { priority, zone }: Pick<LabAssignmentChange, 'priority' | 'zone'>,
): readonly ShopLocality[] {
  const all = shopLocalities.filter((each) => each.assignment === assignment);
  if (all.length === 0) {
    throw new Error(`assignment: expected one of ${shopAssignments.join(', ')}, got "${assignment}"`);
  }
  const meant = all.filter(
    (each) =>
      (priority === undefined || each.priority === priority) &&
      (zone === undefined || each.locality.zone === zone),
  );
  if (meant.length === 0) {
    const there = all.map((each) => `P${each.priority} ${each.locality.zone}`).join(', ');
    const got = [priority === undefined ? '' : `P${priority}`, zone ?? ''].filter(Boolean).join(' ');
    throw new Error(`locality: expected one of ${there}, got ${got}`);
  }
  return meant;
}
