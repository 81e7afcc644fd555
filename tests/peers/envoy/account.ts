import { CDS, EDS, LDS, RDS, type ResourceType, SDS } from '@/lib/xds/resource-type';
import type { State } from '@/lib/xds/status';
import type { AccountRow, Fact } from '../account';
import type { ServerEvent } from '../control-plane';
import type { Protocol } from '../peer';

/**
 * The resources that one Envoy holds according to /config_dump and /stats, and its answers according to the log of
 * its control plane.
 */
export class EnvoyAccount {
  readonly #target: string;
  readonly #protocol: Protocol;

  readonly #rejections = new RejectionCounters();

  constructor(target: string, protocol: Protocol) {
    this.#target = target;
    this.#protocol = protocol;
  }

  async read(events: readonly ServerEvent[]): Promise<AccountRow[]> {
    const url = `http://${this.#target}`;
    const [dump, stats] = await Promise.all([
      fetch(`${url}/config_dump?include_eds`).then((response) => response.json()),
      fetch(`${url}/stats?filter=(update_(rejected|success)|warming_state)$`).then((response) =>
        response.text(),
      ),
    ]);
    const stuck = new Set([...stats.matchAll(/^cluster\.(.*)\.warming_state: 0$/gm)].map(([, name]) => name));
    const rejected = this.#rejections.read(stats, events);
    const effects = readEffects(dump as { configs: DumpSection[] }, rejected, stuck);
    const answers = readAnswers(events, effects, this.#protocol);
    // Envoy counts a rejected response for every resource in it.
    for (const [key, { state, version }] of effects) {
      const isOfDump = key.startsWith(CDS.typeUrl) || key.startsWith(LDS.typeUrl);
      const isNamed = isOfDump || key.endsWith(' ') || answers.get(key)?.state === 'NACKED';
      if (state === 'NACKED' && !isNamed) effects.set(key, { state: 'ACTIVE', version });
    }
    return [...new Set([...effects.keys(), ...answers.keys()])].map((key) => {
      const [typeUrl = '', name = ''] = key.split(' ');
      const [answer, effect] = [answers.get(key), effects.get(key)];
      return { typeUrl, name, scope: '', ...(answer && { answer }), ...(effect && { effect }) };
    });
  }
}

interface DumpEntry {
  readonly name?: string;
  readonly version_info?: string;
  readonly cluster?: { readonly name: string };
  readonly listener?: { readonly name: string };
  readonly route_config?: { readonly name?: string };
  readonly endpoint_config?: { readonly cluster_name?: string };
  readonly active_state?: DumpEntry;
  readonly warming_state?: DumpEntry;
  readonly draining_state?: DumpEntry;
  readonly error_state?: object;
}

type DumpSection = { readonly '@type': string } & {
  readonly [list: string]: readonly DumpEntry[] | undefined;
};

/** A section of the dump, its list, and the state of the entries in it. */
const lists: readonly [typeUrl: string, list: string, state: State][] = [
  [CDS.typeUrl, 'static_clusters', 'ACTIVE'],
  [CDS.typeUrl, 'dynamic_active_clusters', 'ACTIVE'],
  [CDS.typeUrl, 'dynamic_warming_clusters', 'WARMING'],
  [LDS.typeUrl, 'static_listeners', 'ACTIVE'],
  [RDS.typeUrl, 'static_route_configs', 'ACTIVE'],
  [RDS.typeUrl, 'dynamic_route_configs', 'ACTIVE'],
  [EDS.typeUrl, 'static_endpoint_configs', 'ACTIVE'],
  [EDS.typeUrl, 'dynamic_endpoint_configs', 'ACTIVE'],
  [SDS.typeUrl, 'dynamic_active_secrets', 'ACTIVE'],
  [SDS.typeUrl, 'dynamic_warming_secrets', 'WARMING'],
];

/**
 * Keys are the type URL and the name. A resource that was rejected, or that warms, has that state. `stuck`: clusters that
 * have not begun to warm, because Envoy rejected them after it had created them.
 */
function readEffects(
  { configs }: { readonly configs: readonly DumpSection[] },
  rejected: ReadonlySet<string>,
  stuck: ReadonlySet<string | undefined>,
): Map<string, Fact> {
  const effects = new Map<string, Fact>();
  const add = (typeUrl: string, name: string, state: State, version = ''): void => {
    effects.set(`${typeUrl} ${name}`, { state, version });
  };
  for (const section of configs) {
    for (const [typeUrl, list, state] of lists) {
      for (const entry of section[list] ?? []) {
        const { name, cluster, listener, route_config, endpoint_config } = entry;
        const found = cluster?.name ?? listener?.name ?? route_config?.name ?? endpoint_config?.cluster_name;
        const isStuck = list === 'dynamic_warming_clusters' && stuck.has(found);
        add(typeUrl, found ?? name ?? '', isStuck ? 'NACKED' : state, entry.version_info);
      }
    }
    for (const { name = '', ...entry } of section.dynamic_listeners ?? []) {
      const { active_state, warming_state, draining_state, error_state } = entry;
      // Envoy writes a second entry without a name beside a rejected listener.
      if (name === '') continue;
      const [state, held]: [State, DumpEntry | undefined] =
        error_state !== undefined
          ? ['NACKED', active_state]
          : warming_state !== undefined
            ? ['WARMING', warming_state]
            : active_state !== undefined
              ? ['ACTIVE', active_state]
              : ['DRAINING', draining_state];
      add(LDS.typeUrl, name, state, held?.version_info);
    }
  }
  const isNacked = (type: ResourceType): boolean =>
    [...effects].some(([key, { state }]) => key.startsWith(`${type.typeUrl} `) && state === 'NACKED');
  // The dump shows which clusters and listeners were rejected, if any.
  const shown = new Set([CDS, LDS].filter(isNacked).map(({ typeUrl }) => `${typeUrl} `));
  for (const { typeUrl } of [RDS, EDS, SDS]) {
    const isShared = [...rejected].filter((key) => key.startsWith(typeUrl)).length > 1;
    if (isShared) add(typeUrl, '', 'NACKED');
  }
  for (const key of rejected) {
    if (shown.has(key)) continue;
    const held = effects.get(key);
    effects.set(key, { state: 'NACKED', version: held?.version ?? '' });
  }
  return effects;
}

/** Determines whether update_rejected or update_success of each subscription rose last. */
class RejectionCounters {
  readonly #before = new Map<string, { rejected: number; success: number; isRejected: boolean }>();

  /**
   * The subscriptions whose newest update was rejected. CDS and LDS count by type: the name is empty. Where both rose, the
   * newest answer in the log of the control plane decides.
   */
  read(text: string, events: readonly ServerEvent[]): Set<string> {
    const counters = new Map<string, { rejected: number; success: number }>();
    for (const line of text.split('\n')) {
      const [, stat = '', which, count] = /^(.*)\.update_(rejected|success): (\d+)$/.exec(line) ?? [];
      const key = subscriptionOf(stat);
      if (key === undefined || (which !== 'rejected' && which !== 'success')) continue;
      const counter = counters.get(key) ?? { rejected: 0, success: 0 };
      counter[which] += Number(count);
      counters.set(key, counter);
    }
    for (const [key, now] of counters) {
      const before = this.#before.get(key) ?? { rejected: 0, success: 0, isRejected: false };
      const successes = now.success - before.success;
      // A resource before the wrong one of a rejected response counts both, and takes effect.
      const isNewlyRejected =
        now.rejected - before.rejected > Math.max(0, successes) &&
        (successes <= 0 || newestAnswer(events, key)?.kind === 'nack');
      const isRejected = isNewlyRejected || (successes === 0 && before.isRejected);
      this.#before.set(key, { ...now, isRejected });
    }
    return new Set([...this.#before].flatMap(([key, { isRejected }]) => (isRejected ? [key] : [])));
  }
}

/** `key` begins with the type URL. */
function newestAnswer(events: readonly ServerEvent[], key: string): ServerEvent | undefined {
  return events.findLast(
    ({ kind, typeUrl }) => (kind === 'ack' || kind === 'nack') && key.startsWith(`${typeUrl} `),
  );
}

/** "http.svc-a-1.rds.routes-a" -> RDS and its name. The stat prefix of a listener changes with its revision. */
function subscriptionOf(stat: string): string | undefined {
  if (stat === 'cluster_manager.cds') return `${CDS.typeUrl} `;
  if (stat === 'listener_manager.lds') return `${LDS.typeUrl} `;
  const [, route] = /^http\..*\.rds\.(.*)$/.exec(stat) ?? [];
  if (route !== undefined) return `${RDS.typeUrl} ${route}`;
  const [, cluster] = /^cluster\.([^.]*)$/.exec(stat) ?? [];
  if (cluster !== undefined) return `${EDS.typeUrl} ${cluster}`;
  const [, secret] = /^sds\.(.*)$/.exec(stat) ?? [];
  return secret === undefined ? undefined : `${SDS.typeUrl} ${secret}`;
}

/** The answer to the newest response that carried each resource. */
function readAnswers(
  events: readonly ServerEvent[],
  effects: ReadonlyMap<string, Fact>,
  protocol: Protocol,
): Map<string, Fact> {
  const answers = new Map<string, Fact>();
  for (const type of [LDS, RDS, CDS, EDS, SDS]) {
    const own = events.filter((event) => event.typeUrl === type.typeUrl);
    if (own.every(({ kind }) => kind === 'response')) continue;
    const responses = own.filter(({ kind }) => kind === 'response');
    const requested = own.findLast(({ kind }) => kind !== 'response')?.names ?? [];
    for (const name of type.absenceDeletes ? heldNames(responses, protocol) : requested) {
      const key = `${type.typeUrl} ${name}`;
      const newest = responses.findLast(
        ({ payloads, removed = [] }) => name in payloads || (protocol === 'delta' && removed.includes(name)),
      );
      const hash = newest?.payloads[name];
      if (newest === undefined || hash === undefined) {
        answers.set(key, { state: newest === undefined ? 'REQUESTED' : 'DOES_NOT_EXIST', version: '' });
        continue;
      }
      const verdict = own.findLast(
        ({ kind, version }) => (kind === 'ack' || kind === 'nack') && version === newest.version,
      );
      const isUnchanged = findAccepted(own, name) === hash;
      const fact = stateOf(type, verdict, name, newest, isUnchanged, effects.get(key));
      answers.set(key, fact.state === 'ACKED' && isSha256.test(hash) ? { ...fact, hash } : fact);
    }
  }
  return answers;
}

/** A CDS or LDS response without a resource deletes it in state of the world; in delta it has to remove it. */
function heldNames(responses: readonly ServerEvent[], protocol: Protocol): Iterable<string> {
  if (protocol === 'sotw') return responses.at(-1)?.names ?? [];
  const held = new Set<string>();
  for (const { names, removed = [] } of responses) {
    for (const name of names) held.add(name);
    for (const name of removed) held.delete(name);
  }
  return held;
}

const isSha256 = /^[0-9a-f]{64}$/;

/** The payload of the resource in the newest response that the client ACKed. */
function findAccepted(events: readonly ServerEvent[], name: string): string | undefined {
  const accepted = new Set(events.flatMap(({ kind, version }) => (kind === 'ack' ? [version] : [])));
  return events.findLast(
    ({ kind, version, payloads }) => kind === 'response' && accepted.has(version) && name in payloads,
  )?.payloads[name];
}

/**
 * A NACK rejects the resources that its text names, or every changed one if it names none. The other resources of CDS and
 * LDS take effect; for changed EDS resources it is unknown. Without a version, versions are not compared.
 */
function stateOf(
  type: ResourceType,
  verdict: ServerEvent | undefined,
  name: string,
  { names, versions }: ServerEvent,
  isUnchanged: boolean,
  effect: Fact | undefined,
): Fact {
  if (verdict === undefined) return { state: 'NO_ANSWER', version: '' };
  const { kind, text } = verdict;
  const version = versions?.[name] ?? verdict.version;
  // The ACK of a cluster that was rejected before, and that still is not in effect, proves nothing.
  if (kind === 'ack' && type === CDS && effect?.state === 'NACKED') return { state: 'NACKED', version: '' };
  if (kind === 'ack') return { state: 'ACKED', version };
  if (isNaming(text, [name])) return { state: 'NACKED', version: '' };
  if (isUnchanged) return { state: 'ACKED', version: '' };
  if (!isNaming(text, names)) return { state: 'NACKED', version: '' };
  const isPartial = /^Error adding\/updating (cluster|listener)\(s\)/.test(text);
  if (isPartial || effect?.version === version) return { state: 'ACKED', version: '' };
  return { state: type === EDS ? 'UNKNOWN' : 'NACKED', version: '' };
}

function isNaming(text: string, names: readonly string[]): boolean {
  return names.some((name) => text.includes(name));
}
